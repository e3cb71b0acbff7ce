// Callers that call a tool again and again without retries, and what became of each call.
import { setTimeout as sleep } from "node:timers/promises";
import { toKey } from "./gateway-fleet.ts";

export interface Outcome {
  readonly id: string;
  readonly caller: string;
  /** By `performance.now`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The HTTP status; 0 if the connection failed. */
  readonly status: number;
  /** "ok", `data.reason` of a typed error, or "untyped". */
  readonly outcome: string;
  /** The header of the response. */
  readonly retryAfter?: string;
}

export interface SteadyCallers {
  readonly outcomes: readonly Outcome[];
  /** Resolves when the running calls are done. */
  stop(): Promise<void>;
}

/** One call of the tool, as a modern client sends it. With `affinity`, the documented load balancers choose the replica by this value. */
export async function callOnce(
  url: string,
  caller: string,
  tool: string,
  args: object,
  affinity?: string,
): Promise<Outcome> {
  const id = crypto.randomUUID();
  const startedAt = performance.now();
  const outcome = (status: number, what: string, retryAfter: string | null = null): Outcome => ({
    ...{ id, caller, startedAt, endedAt: performance.now() },
    ...{ status, outcome: what },
    ...(retryAfter !== null && { retryAfter }),
  });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${toKey(caller)}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": tool,
        ...(affinity !== undefined && { "lethe-affinity": affinity }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: toParams(tool, { id, ...args }) }),
    });
    return outcome(response.status, reasonIn(await response.text(), id), response.headers.get("retry-after"));
  } catch {
    return outcome(0, "untyped");
  }
}

function toParams(name: string, args: object): object {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { name, arguments: args, _meta };
}

/** The text is JSON, or an event stream. */
function reasonIn(text: string, id: string): string {
  if (text.includes('"result"') && text.includes(id)) return "ok";
  return /"reason":"(\w+)"/.exec(text)?.[1] ?? "untyped";
}

export function startCallers(url: string, callers: readonly string[], tool: string, pauseMs = 100): SteadyCallers {
  const outcomes: Outcome[] = [];
  let isOver = false;
  const running = callers.map(async (caller) => {
    while (!isOver) {
      outcomes.push(await callOnce(url, caller, tool, {}));
      await sleep(pauseMs * (1 + Math.random() / 2));
    }
  });
  return {
    outcomes,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}
