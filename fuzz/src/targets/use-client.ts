// Uses a client of a hostile server. Every call must end with a result, an McpError or a TransportError.
import { type Client, isTransportError } from "@lethe/client";
import { isMcpError } from "@lethe/protocol";
import type { Random } from "../input/random.ts";
import type { Tally } from "../run/target.ts";

export interface UseClientOptions {
  open(): Promise<Client>;
  readonly random: Random;
  readonly tally: Tally;
  /** The messages of the server, for the report of a failure. */
  readonly transcript: readonly unknown[];
}

const callsPerClient = 4;
const hangMs = 20_000;

export async function useClient({ open, random, tally, transcript }: UseClientOptions): Promise<void> {
  const attempt = async <T>(what: string, run: () => Promise<T>): Promise<T | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const hung = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        tally.fail({ kind: "hang", detail: `${what} takes longer than ${hangMs} ms`, input: transcript });
        resolve(undefined);
      }, hangMs);
    });
    try {
      return await Promise.race([run(), hung]);
    } catch (error) {
      if (!isMcpError(error) && !isTransportError(error)) {
        const got = error instanceof Error ? error.stack : String(error);
        tally.fail({
          kind: "wrong",
          detail: `${what}: an McpError or a TransportError expected, got ${got}`,
          input: transcript,
        });
      }
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
  const client = await attempt("connect", open);
  if (!client) return;
  for (let count = 0; count < callsPerClient; count++) {
    const [what, run] = pickCall(client, random);
    await attempt(what, run);
  }
  await attempt("close", () => client.close());
}

function pickCall(client: Client, random: Random): [string, () => Promise<unknown>] {
  const limits = { timeoutMs: 100, maxTotalMs: 300 };
  return random.pick<[string, () => Promise<unknown>]>([
    ["callTool", () => client.callTool("t", {}, limits)],
    ["callTool", () => client.callTool("t", { a: 1 }, { ...limits, onProgress: () => {} })],
    ["listTools", () => client.listTools(limits)],
    ["listResources", () => client.listResources(limits)],
    ["listPrompts", () => client.listPrompts(limits)],
    ["readResource", () => client.readResource("a:b", limits)],
    ["getPrompt", () => client.getPrompt("p", {}, limits)],
  ]);
}
