// Reads the scenario of this process from the environment and creates the client for it.
import { type Client, type ConnectOptions, createVerdictMemory } from "@lethe/client";
import type { Authorizer } from "@lethe/client/auth";
import { connect } from "@lethe/client/node";
import { isJsonObject, type JsonObject, modernRevisions } from "@lethe/protocol";

export interface Task {
  readonly scenario: string;
  readonly url: string;
  /** The revision of the run. */
  readonly revision: string;
  /** The input of some scenarios, such as credentials or calls. */
  readonly context: JsonObject;
}

export function readTask(args: readonly string[], env: NodeJS.ProcessEnv): Task {
  const url = args.at(-1);
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "2026-07-28" } = env;
  if (args.length < 3 || url === undefined || scenario === undefined) {
    console.error("usage: MCP_CONFORMANCE_SCENARIO=NAME client.js URL");
    process.exit(2);
  }
  const context: unknown = JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? "{}");
  return { scenario, url, revision, context: isJsonObject(context) ? context : {} };
}

export function textOf({ scenario, context }: Task, member: string): string {
  const value = context[member];
  if (typeof value !== "string") throw new TypeError(`${scenario}: the context has no string "${member}"`);
  return value;
}

/** Connects a client of the run's revision and closes it after `use`. */
export async function withClient(
  { url, revision }: Task,
  use: (client: Client) => Promise<unknown>,
  options: ConnectOptions & { authorizer?: Authorizer } = {},
): Promise<void> {
  const isModern = modernRevisions.includes(revision);
  const verdicts = createVerdictMemory();
  // The mock servers of a run accept one era only: legacy ones would count a probe as an invalid message.
  if (!isModern) verdicts.set(new URL(url).href, { era: "legacy", revision, transport: "streamable-http" });
  await using client = await connect(url, { verdicts, legacy: !isModern, ...options });
  await use(client);
}
