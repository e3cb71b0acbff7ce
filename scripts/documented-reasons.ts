// Reads the reasons of errors from the source, and those of docs/operations/errors.md, which a test compares.
import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);

/** Union types whose members are reasons, each in a section of the page. */
const unions: Readonly<Record<string, string>> = {
  UpstreamFailure: "packages/gateway/src/upstreams/connection/upstream-error.ts",
  LossCause: "packages/gateway/src/upstreams/sessions/lost-sessions.ts",
  RedisProblemReason: "packages/redis/src/connection/redis-problem.ts",
  ReplicaFailure: "packages/server/src/replicas/replica-error.ts",
  TransportErrorReason: "packages/client/src/call/transport-error.ts",
  AuthorizationErrorCode: "packages/client/src/auth/authorization-error.ts",
  ProblemReason: "packages/probe/src/behaviour/problem.ts",
};

/** Tables and sets of reasons in the source of the gateway. */
const lists = [
  "packages/gateway/src/edge/failure-reason.ts",
  "packages/gateway/src/operate/observe/rejections.ts",
] as const;

/** Reasons that are written where the error is made. */
const literal = /\breason(?:: string)?\s?[:=]\s?"([a-z_]+)"|\bfailure\("([a-z_]+)",/g;

/** Labels that stand for any reason of a foreign server, problems of a start, and outcomes. */
const others: ReadonlySet<string> = new Set(["other", "cluster", "error", "rejected"]);

/** Returns the reasons of a union type, a list or all literals, by the name of their origin. */
export function reasonsInSource(): Map<string, string[]> {
  const ofUnions = Object.entries(unions).map(([name, file]) => [name, unionIn(read(file), name)] as const);
  const ofLists = lists.map((file) => [file, quotedIn(withoutImports(read(file)))] as const);
  const packages = ["gateway", "server", "protocol", "redis"];
  const literals = packages.map((name) => [name, literalsIn(name)] as const);
  return new Map([...ofUnions, ...ofLists, ...literals]);
}

export function unionIn(source: string, name: string): string[] {
  const [, body = ""] = new RegExp(`export type ${name} =([\\s\\S]*?);`).exec(source) ?? [];
  return [...body.replaceAll(/\/\*\*[\s\S]*?\*\//g, "").matchAll(/"([\w-]+)"/g)].map(([, reason = ""]) => reason);
}

function quotedIn(source: string): string[] {
  return [...source.matchAll(/"([a-z]+(?:_[a-z]+)*)"/g)]
    .map(([, reason = ""]) => reason)
    .filter((reason) => !others.has(reason) && reason !== "string");
}

function literalsIn(name: string): string[] {
  const folder = `packages/${name}/src`;
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/testing\/|contracts\//.test(file))
    .flatMap((file) =>
      [...read(`${folder}/${file}`).matchAll(literal)].map(([, first, second]) => first ?? second ?? ""),
    )
    .filter((reason) => !others.has(reason));
}

function withoutImports(source: string): string {
  return source.replaceAll(/^import .*$/gm, "").replaceAll(/^ *\/?\*.*$/gm, "");
}

function read(file: string): string {
  return readFileSync(new URL(file, root), "utf8");
}

export interface ReasonRow {
  readonly reason: string;
  readonly cause: string;
  readonly remedy: string;
}

/** The rows of all tables whose first column is a reason in backticks. The last two columns are cause and remedy. */
export function reasonsInDocument(text: string): ReasonRow[] {
  return [...text.matchAll(/^\| `([\w-]+)`\s*\|(.*)\|$/gm)].map(([, reason = "", rest = ""]) => {
    const [cause = "", remedy = ""] = rest
      .split("|")
      .map((cell) => cell.trim())
      .slice(-2);
    return { reason, cause, remedy };
  });
}
