// Explains an error about a tool, a prompt or a resource that the server does not have.
import type { Client } from "@lethe/client";
import { errorCode, isMcpError, suggest } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";

/** What a command names. */
export type NamedKind = "tool" | "prompt" | "resource";

/** Names read from a server: more are not compared. */
const maxNames = 1_000;
/** Names shown if none is similar. */
const maxShown = 10;

/** The errors with which servers answer an unknown name or a method that they do not have. */
const codes: ReadonlySet<number> = new Set([errorCode.invalidParams, errorCode.methodNotFound]);

/** Awaits a call. Rejects with a CommandError that suggests a name if the server does not have the one that was given. */
export async function explainUnknown<T>(
  calling: Promise<T>,
  { client, kind, name }: { client: Client; kind: NamedKind; name: string },
): Promise<T> {
  try {
    return await calling;
  } catch (error) {
    const explanation = isMcpError(error) && codes.has(error.code) ? await explain(client, kind, name) : undefined;
    throw explanation === undefined ? error : new CommandError(explanation, exitCode.unreachable);
  }
}

/** Undefined if the server has it, or does not list what it has. */
export async function explain(client: Client, kind: NamedKind, name: string): Promise<string | undefined> {
  if (client.server.capabilities[`${kind}s`] === undefined) return `this server has no ${kind}s`;
  const names = await namesOf(client, kind).catch(() => undefined);
  if (names === undefined || names.includes(name)) return undefined;
  const given = `the server has no ${kind} ${JSON.stringify(toPrintableLine(name))}`;
  if (names.length === 0) return kind === "resource" ? undefined : `this server has no ${kind}s`;
  const meant = suggest(name, names);
  if (meant !== undefined) return `${given}; did you mean ${JSON.stringify(toPrintableLine(meant))}?`;
  const shown = names.slice(0, maxShown).map(toPrintableLine).join(", ");
  return `${given}; it has ${shown}${names.length > maxShown ? ", and others: see `lethe list`" : ""}`;
}

async function namesOf(client: Client, kind: NamedKind): Promise<string[]> {
  const names: string[] = [];
  for await (const item of listOf(client, kind)) {
    names.push("uri" in item ? item.uri : item.name);
    if (names.length === maxNames) break;
  }
  return names;
}

function listOf(client: Client, kind: NamedKind): AsyncIterable<{ name: string } | { uri: string }> {
  if (kind === "tool") return client.tools();
  return kind === "prompt" ? client.prompts() : client.resources();
}
