// What a test client connects to, and by which revisions and transports.
import type { CommandTarget, ServerTarget } from "@lethe/client";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import type { Servable } from "@lethe/server/edge";

/** A server in this process: the result of `createServer`, or another object that an edge can serve. */
export type TestServer = Servable & ServerTarget;

/** A server program that speaks over stdio: the path or file URL of a JavaScript module, or a command. */
export type TestProgram = string | URL | CommandTarget;

/**
 * "memory": in this process, without sockets. "http": Streamable HTTP without sessions. "http-session": Streamable HTTP with the sessions
 * of older revisions. "http-sse": HTTP+SSE of 2024-11-05. "stdio": lines of standard input and output.
 */
export type TestTransport = "memory" | "http" | "http-session" | "http-sse" | "stdio";

/** The revisions that a test client speaks. */
export type TestRevision = "2026-07-28" | LegacyRevision;

/** All revisions, newest first. */
export const testRevisions: readonly TestRevision[] = [
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

const transports: Readonly<Record<TestRevision, readonly TestTransport[]>> = {
  "2026-07-28": ["memory", "http", "stdio"],
  "2025-11-25": ["memory", "http", "http-session", "stdio"],
  "2025-06-18": ["memory", "http", "http-session", "stdio"],
  "2025-03-26": ["memory", "http", "http-session", "stdio"],
  "2024-11-05": ["memory", "http-sse", "stdio"],
};

/** The transports that a revision defines. */
export function transportsOf(revision: TestRevision): readonly TestTransport[] {
  return Object.hasOwn(transports, revision) ? transports[revision] : [];
}

export function isProgram(target: TestServer | TestProgram): target is TestProgram {
  return typeof target === "string" || target instanceof URL || "command" in target;
}

/** A module runs in the same version of Node. */
export function toCommand(program: TestProgram): CommandTarget {
  if (typeof program === "object" && "command" in program) return program;
  const isUrl = program instanceof URL || program.startsWith("file:");
  const from = isUrl ? `import(${JSON.stringify(String(program))})` : undefined;
  return { command: process.execPath, args: from === undefined ? [String(program)] : ["--eval", from] };
}
