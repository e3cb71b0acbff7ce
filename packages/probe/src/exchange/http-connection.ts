// One HTTP request on its own connection, with one time limit. `close` releases everything.
import { type HttpAnswer, isTransportError } from "@lethe/client";
import { createNodeSend } from "@lethe/client/node";
import type { Answer, Sent, Silence } from "./exchange.ts";

export interface HttpConnection {
  readonly answer: Promise<HttpAnswer>;
  /** Removes the time limit after the headers have arrived. */
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
  // A reused connection could carry state that the server keeps per connection into the next request.
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

/** The reason for a missing answer, with the message of the platform. */
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
