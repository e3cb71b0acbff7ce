// Runs a test on every revision and transport that a server has.
import { checkOptions, nameOf } from "@lethe/protocol";
import { type InputKind, inputKinds } from "../answers/script.ts";
import {
  isProgram,
  type TestProgram,
  type TestRevision,
  type TestServer,
  type TestTransport,
  testRevisions,
  transportsOf,
} from "../transports/test-target.ts";
import { knownCombinationOptions } from "./known-options.ts";
import { type TestClient, type TestClientOptions, testClient } from "./test-client.ts";

/** A server, a function that creates one for each test, or a program. */
export type CombinationTarget = TestServer | TestProgram | (() => TestServer | Promise<TestServer>);

/** The server that a target is or creates. */
export type ServerOf<Target> = Target extends () => infer Made ? Awaited<Made> : Target;

/** Which combinations are tested, and with which clients. */
export interface CombinationOptions extends Omit<TestClientOptions, "revision" | "transport"> {
  /** Default all that the server serves. Name them if the server restricts `legacy.revisions`. */
  revisions?: readonly TestRevision[];
  /** Default all; with a `caller` all but stdio, which has no callers. */
  transports?: readonly TestTransport[];
  /** The server as a program, which then runs in a child process for stdio. Default: the stdio edge in this process. */
  program?: TestProgram;
}

/** One revision over one transport. */
export interface Combination<Target = TestServer> {
  /** The name for a test: "2025-11-25 over http-session". */
  readonly name: string;
  /** The protocol revision. */
  readonly revision: TestRevision;
  /** "modern" for 2026-07-28, "legacy" for the revisions that begin with `initialize`. */
  readonly era: "modern" | "legacy";
  /** The transport. */
  readonly transport: TestTransport;
  /** The input requests that a server can send here: none without a session, and no elicitation before 2025-06-18. */
  readonly asks: readonly InputKind[];
  /** Whether a server can send log messages and changes here. An older revision needs a session for both. */
  readonly notifies: boolean;
  /**
   * Connects a client, runs `body`, and closes what was opened. Rejects with the error of `body`, and with an Error if answers of the
   * script are left over.
   */
  run(body: CombinationBody<Target>): Promise<void>;
}

/** A test of one combination. */
export type CombinationBody<Target> = (
  client: TestClient<ServerOf<Target>>,
  combination: Combination<Target>,
) => void | Promise<void>;

/**
 * Lists the combinations of revision and transport that a server has, so that a test runner can make a test of each. A server that is
 * passed in stays open. One that a function creates is closed after each test.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { combinations } from "@lethe/server/testing";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" }).tool("greet", { handler: () => "Hello!" });
 *
 * // With a test runner: for (const { name, run } of combinations(server)) test(name, () => run(async (client) => { … }));
 * const names = combinations(server, { revisions: ["2026-07-28"] }).map(({ name }) => name);
 * console.log(names.join(", ")); // 2026-07-28 over memory, 2026-07-28 over http, 2026-07-28 over stdio
 */
export function combinations<Target extends CombinationTarget>(
  target: Target,
  options: CombinationOptions = {},
): Combination<Target>[] {
  checkOptions("combinations", options, knownCombinationOptions);
  const { revisions = testRevisions, transports, program, ...clientOptions } = options;
  return revisions.flatMap((revision) =>
    transportsOf(revision)
      .filter((transport) => transports?.includes(transport) ?? isDefault(transport, target, options))
      .filter(() => revision === "2026-07-28" || servesOlder(target))
      .map((transport) => createCombination({ target, program, revision, transport, clientOptions })),
  );
}

/**
 * Runs `body` on every combination of revision and transport that a server has, one after the other. Rejects after the last one with an
 * Error that names the combinations that failed; its `errors` are their errors.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { testEverywhere } from "@lethe/server/testing";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" }).tool("greet", { handler: () => "Hello!" });
 *
 * const answers = new Set<string>();
 * await testEverywhere(server, async (client) => {
 *   const { content } = await client.callTool("greet");
 *   answers.add(JSON.stringify(content));
 * });
 * console.log(...answers); // [{"type":"text","text":"Hello!"}]
 */
export async function testEverywhere<Target extends CombinationTarget>(
  target: Target,
  body: CombinationBody<Target>,
  options: CombinationOptions = {},
): Promise<void> {
  checkOptions("testEverywhere", options, knownCombinationOptions);
  if (typeof body !== "function") {
    throw new Error(
      `testEverywhere: a function that tests a client expected as the second argument, got ${nameOf(body)}`,
    );
  }
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  const all = combinations(target, options);
  for (const { name, run } of all) await run(body).catch((error: unknown) => failures.push({ name, error }));
  if (failures.length === 0) return;
  const lines = failures.map(({ name, error }) => `${name}: ${error instanceof Error ? error.message : String(error)}`);
  throw new AggregateError(
    failures.map(({ error }) => error),
    `${failures.length} of ${all.length} combinations failed:\n${lines.join("\n")}`,
  );
}

interface Parts<Target> {
  readonly target: Target;
  readonly program: TestProgram | undefined;
  readonly revision: TestRevision;
  readonly transport: TestTransport;
  readonly clientOptions: TestClientOptions;
}

function createCombination<Target extends CombinationTarget>(parts: Parts<Target>): Combination<Target> {
  const { target, program, revision, transport, clientOptions } = parts;
  const hasSession = revision === "2026-07-28" || transport !== "http";
  const combination: Combination<Target> = {
    name: `${revision} over ${transport}`,
    revision,
    era: revision === "2026-07-28" ? "modern" : "legacy",
    transport,
    asks: hasSession ? inputKinds.filter((kind) => revision >= firstRevision[kind]) : [],
    notifies: hasSession,
    async run(body) {
      const given: CombinationTarget = target;
      const made = typeof given === "function" ? await given() : undefined;
      const reached = transport === "stdio" ? (program ?? made ?? given) : (made ?? given);
      try {
        const client = await testClient(reached as TestServer, { ...clientOptions, revision, transport });
        await runWith(client as unknown as TestClient<ServerOf<Target>>, (opened) => body(opened, combination));
      } finally {
        await made?.close?.();
      }
    },
  };
  return combination;
}

/** The error of the body takes precedence over that of a script that it did not finish. */
async function runWith<Target>(
  client: TestClient<Target>,
  body: (client: TestClient<Target>) => unknown,
): Promise<void> {
  try {
    await body(client);
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
  await client.close();
}

/** The revisions that introduced the input requests. */
const firstRevision: Readonly<Record<InputKind, TestRevision>> = {
  elicit: "2025-06-18",
  elicitUrl: "2025-11-25",
  sample: "2024-11-05",
  roots: "2024-11-05",
};

function isDefault(transport: TestTransport, target: CombinationTarget, { caller }: CombinationOptions): boolean {
  if (typeof target !== "function" && isProgram(target)) return transport === "stdio";
  return transport !== "stdio" || caller === undefined;
}

/** Unknown before a function has created the server. */
function servesOlder(target: CombinationTarget): boolean {
  return typeof target === "function" || isProgram(target) || target.legacy !== undefined;
}
