// One HTTP request on a connection of its own, with one time limit; nothing of it is left after `close`.
import { type HttpAnswer, isTransportError } from "@lethe/client";
import { createNodeSend } from "@lethe/client/node";
import type { Answer, Sent, Silence } from "./exchange.ts";

export interface HttpConnection {
  readonly answer: Promise<HttpAnswer>;
  /** What came has no time limit any more. */
  disarm(): void;
  close(): void;
}

export interface ConnectionLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const timedOut = new Error("timeout");
const closed = new Error("closed");

export function openConnection(sent: Sent, { timeoutMs, signal }: ConnectionLimits): HttpConnection {
  // A connection that outlives its request could carry what the server keeps per connection into the next one.
  const node = createNodeSend();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timedOut), timeoutMs);
  const giveUp = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", giveUp);
  const answer = node.send({
    url: new URL(sent.address),
    method: sent.via as "POST" | "GET" | "DELETE",
    headers: sent.headers,
    signal: controller.signal,
    ...(sent.body !== undefined && { body: sent.body }),
  });
  return {
    answer,
    disarm: () => clearTimeout(timer),
    close() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      controller.abort(closed);
      node.close();
    },
  };
}

/** Why there is no answer, in one of few words and in the platform's own. */
export function toSilence(error: unknown, timeoutMs: number): Answer & { kind: "none" } {
  if (error === timedOut) return { kind: "none", reason: "timeout", message: `no answer within ${timeoutMs} ms` };
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code, message = "" } = (cause ?? {}) as { code?: unknown; message?: string };
  if (/wrong version number|packet length too long/.test(message)) {
    return {
      kind: "none",
      reason: "unreachable",
      message: "it does not speak TLS: the address may be http, not https",
    };
  }
  return { kind: "none", reason: reasonOf(cause, code), message: message || String(code ?? "the connection broke") };
}

function reasonOf(cause: unknown, code: unknown): Silence {
  if (isTransportError(cause) || typeof code !== "string") return "lost";
  return code === "ECONNRESET" || code === "EPIPE" || code.startsWith("HPE_") ? "lost" : "unreachable";
}
