// Questions that a client was asked live and has not answered yet (D-23).
import {
  errorCode,
  isJsonObject,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcResponse,
  McpError,
  notificationMethod,
  overloaded,
} from "@lethe/protocol";
import type { ServerRequest } from "@lethe/protocol/revisions";
import type { LegacySettings } from "../legacy-options.ts";
import { randomId } from "../sessions/random-id.ts";
import { startBackgroundTimer } from "./background-timer.ts";
import type { RunningCall } from "./running-call.ts";

/** The questions of one round of one call. */
export interface Round {
  /** The client's result, whatever it is. Rejects with McpError when there will be none. */
  ask(question: ServerRequest): Promise<JsonObject>;
  /** Takes back what is still unanswered. */
  end(): void;
}

export class LiveQuestions {
  readonly #waiting = new Map<string, (response: JsonRpcResponse) => void>();
  readonly #settings: LegacySettings;
  /** Other processes ask in the same session. */
  #prefix: string | undefined = undefined;
  #count = 0;
  #isClosed = false;

  constructor(settings: LegacySettings) {
    this.#settings = settings;
  }

  /** Ignores a response to no question of this process. */
  hear(response: JsonRpcResponse): void {
    if (typeof response.id === "string") this.#waiting.get(response.id)?.(response);
  }

  /** Nobody will answer any more. */
  close(): void {
    this.#isClosed = true;
    for (const answer of this.#waiting.values()) answer({ jsonrpc: "2.0", error: clientGone });
  }

  beginRound(run: RunningCall): Round {
    const unanswered = new Set<() => void>();
    return {
      ask: (question) => this.#ask(question, run, unanswered),
      end: () => {
        for (const takeBack of unanswered) takeBack();
      },
    };
  }

  #ask(question: ServerRequest, run: RunningCall, unanswered: Set<() => void>): Promise<JsonObject> {
    const { maxQuestions, answerTimeoutMs, answers } = this.#settings;
    if (this.#waiting.size >= maxQuestions) {
      return Promise.reject(overloaded(`at most ${maxQuestions} questions at a time`, 1_000));
    }
    if (this.#isClosed || run.isEnded) return Promise.reject(failed(clientGone.message));
    this.#prefix ??= answers.address === undefined ? randomId() : `${answers.address}.${randomId()}`;
    const id = `${this.#prefix}-${this.#count++}`;
    return new Promise((resolve, reject) => {
      const forget = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        unanswered.delete(takeBack);
        stopWaiting();
      };
      const takeBack = (): void => {
        forget();
        run.sink.notify(toText(notificationMethod.cancelled, { requestId: id }));
        reject(failed(`the client did not answer ${question.method}`));
      };
      const timer = startBackgroundTimer(takeBack, answerTimeoutMs);
      const stopWaiting = run.onStop(takeBack);
      this.#waiting.set(id, (response) => {
        forget();
        if ("error" in response)
          reject(failed(`the client answered ${question.method} with: ${response.error.message}`));
        else resolve(response.result);
      });
      unanswered.add(takeBack);
      run.sink.send(toText(question.method, question.params, id));
    });
  }
}

const clientGone: JsonRpcErrorObject = { code: errorCode.internalError, message: "the client has gone" };

/** E-30: sampling and roots have no answer that says no, so that the call fails. */
function failed(message: string): McpError {
  return new McpError(errorCode.internalError, message);
}

function toText(method: string, params: JsonObject | undefined, id?: string): string {
  const message: JsonObject = id === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", id, method };
  if (isJsonObject(params)) message.params = params;
  return JSON.stringify(message);
}
