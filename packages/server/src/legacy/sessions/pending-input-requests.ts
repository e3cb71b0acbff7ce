// The input requests of one session (elicitation, sampling, roots) that its client has not answered yet.
import { errorCode, type JsonRpcErrorObject, type JsonRpcResponse, McpError, overloaded } from "@lethe/protocol";
import type { LegacySettings } from "../shared/legacy-options.ts";
import { randomId } from "./session-facts.ts";

const retryAfterMs = 1_000;
const clientGone: JsonRpcErrorObject = { code: errorCode.internalError, message: "the client has gone" };

type Settings = Pick<LegacySettings, "maxInputRequests" | "answerTimeoutMs" | "clientMessages" | "clock">;

export class PendingInputRequests {
  readonly #pending = new Map<string, (response: JsonRpcResponse) => void>();
  readonly #settings: Settings;
  /** Unique to this process, because other processes send input requests in the same session. */
  #prefix: string | undefined = undefined;
  #count = 0;
  #isClosed = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Calls back when a request has waited too long for its response. Returns a function that cancels this. */
  startTimeLimit(onTimeout: () => void): () => void {
    const { clock, answerTimeoutMs } = this.#settings;
    return clock.after(answerTimeoutMs, onTimeout);
  }

  /** Returns the id of a new request. Throws McpError if too many are pending or the client has gone. */
  add(onResponse: (response: JsonRpcResponse) => void): string {
    const { maxInputRequests, clientMessages } = this.#settings;
    if (this.#pending.size >= maxInputRequests) {
      throw overloaded(`at most ${maxInputRequests} input requests at a time`, retryAfterMs);
    }
    if (this.#isClosed) throw toClientGone();
    this.#prefix ??= clientMessages.address === undefined ? randomId() : `${clientMessages.address}.${randomId()}`;
    const id = `${this.#prefix}-${this.#count++}`;
    this.#pending.set(id, onResponse);
    return id;
  }

  delete(id: string): void {
    this.#pending.delete(id);
  }

  /** Ignores a response to a request that is not pending here. */
  receiveResponse(response: JsonRpcResponse): void {
    if (typeof response.id === "string") this.#pending.get(response.id)?.(response);
  }

  /** The client cannot respond any more, although it may still read. */
  close(): void {
    this.#isClosed = true;
    for (const respond of this.#pending.values()) respond({ jsonrpc: "2.0", error: clientGone });
  }
}

export function toClientGone(): McpError {
  return new McpError(clientGone.code, clientGone.message);
}
