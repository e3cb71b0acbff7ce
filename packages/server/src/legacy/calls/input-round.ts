// Sends one message elicitation/create, sampling/createMessage or roots/list on the stream of a running call. Keeps it pending until
// the response, a time-out or the end of the call (D-23).
import { isJsonObject, type JsonObject, type JsonRpcResponse, notificationMethod } from "@lethe/protocol";
import type { ServerRequest } from "@lethe/protocol/revisions";
import { type PendingInputRequests, toClientGone } from "../sessions/pending-input-requests.ts";
import { internalError, type RunningCall } from "./running-call.ts";

/** The input requests that one call sends together. */
export class InputRound {
  readonly #call: RunningCall;
  readonly #pending: PendingInputRequests;
  readonly #unanswered = new Set<() => void>();

  constructor(call: RunningCall, pending: PendingInputRequests) {
    this.#call = call;
    this.#pending = pending;
  }

  /** Resolves with the result as the client sent it. Rejects with McpError when none comes: after an error, a time-out or the end. */
  send({ method, params }: ServerRequest): Promise<JsonObject> {
    const call = this.#call;
    return new Promise((resolve, reject) => {
      if (call.isEnded) throw toClientGone();
      const id = this.#pending.add((response) => {
        forget();
        settle(response, method, resolve, reject);
      });
      const forget = (): void => {
        cancelTimeLimit();
        this.#pending.delete(id);
        this.#unanswered.delete(withdraw);
        stopWatching();
      };
      const withdraw = (): void => {
        forget();
        call.sink.notify(toText(notificationMethod.cancelled, { requestId: id }));
        reject(internalError(`the client did not answer ${method}`));
      };
      const cancelTimeLimit = this.#pending.startTimeLimit(withdraw);
      const stopWatching = call.onStop(withdraw);
      this.#unanswered.add(withdraw);
      call.sink.send(toText(method, params, id));
    });
  }

  /** Cancels the requests that are still unanswered. */
  end(): void {
    for (const withdraw of this.#unanswered) withdraw();
  }
}

/** E-30: sampling and roots have no result that declines, so that an error fails the call. */
function settle(
  response: JsonRpcResponse,
  method: string,
  resolve: (result: JsonObject) => void,
  reject: (error: Error) => void,
): void {
  if ("error" in response) reject(internalError(`the client answered ${method} with: ${response.error.message}`));
  else resolve(response.result);
}

function toText(method: string, params: JsonObject | undefined, id?: string): string {
  const message: JsonObject = id === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", id, method };
  if (isJsonObject(params)) message.params = params;
  return JSON.stringify(message);
}
