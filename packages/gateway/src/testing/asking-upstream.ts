// A legacy upstream that asks in the middle of a call, as its connection shows it: the call is pending, and the retry resumes it.
import { TransportError } from "@lethe/client";
import { PendingCalls } from "@lethe/client/edge";
import type { Exchange, InputRequests, JsonObject, ModernRequest, Result } from "@lethe/protocol";
import { createFakeConnection, done, type FakeConnection } from "./fakes.ts";

export interface AskingUpstream {
  readonly connection: FakeConnection;
  /** Every round of every call, in order. */
  readonly received: ModernRequest[];
  /** Tools that were run. */
  readonly ran: string[];
  /** Tools whose calls were cancelled. */
  readonly cancelled: string[];
}

/** By tool, the messages of its elicitations, one after the other. */
export interface Elicitations {
  [tool: string]: readonly string[];
}

interface AskingCall {
  readonly tool: string;
  readonly request: ModernRequest;
  readonly callerId: string | undefined;
  readonly left: readonly string[];
  readonly answers: readonly string[];
}

export interface AskingUpstreamOptions {
  readonly pendingCalls?: PendingCalls;
  /** Runs in place of `goOn`, which returns the next elicitation or the result. */
  onAnswer?(goOn: () => Result): Promise<Result>;
}

export function createAskingUpstream(elicitations: Elicitations, options: AskingUpstreamOptions = {}): AskingUpstream {
  const { pendingCalls = new PendingCalls(), onAnswer } = options;
  const received: ModernRequest[] = [];
  const ran: string[] = [];
  const cancelled: string[] = [];

  async function dispatch(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { requestState, inputResponses = {} } = request.params;
    const callerId = exchange.caller?.id;
    if (requestState !== undefined) {
      return pendingCalls.resume(String(requestState), inputResponses as JsonObject, callerId)(request, exchange);
    }
    received.push(request);
    const tool = String(request.params.name);
    ran.push(tool);
    return goOn({ tool, request, callerId, left: elicitations[tool] ?? [], answers: [] });
  }

  function goOn(call: AskingCall): Result {
    const [message] = call.left;
    if (message === undefined) {
      return call.answers.length === 0 ? done : { ...done, content: [{ type: "text", text: call.answers.join(" ") }] };
    }
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } } as const;
    return ask(call, { q: { method: "elicitation/create", params: { message, requestedSchema } } });
  }

  function ask(call: AskingCall, inputRequests: InputRequests): Result {
    const { tool, request, callerId, left, answers } = call;
    const requestState = pendingCalls.add({
      owner: received,
      ...{ request, callerId, inputRequests },
      async resume({ q }, retry) {
        received.push(retry);
        if (q === undefined) return ask(call, inputRequests);
        const { content } = q as { content?: { name?: string } };
        const next = () => goOn({ ...call, left: left.slice(1), answers: [...answers, String(content?.name)] });
        return onAnswer ? onAnswer(next) : next();
      },
      cancel: () => void cancelled.push(tool),
    });
    if (requestState !== undefined) return { resultType: "input_required", inputRequests, requestState };
    cancelled.push(tool);
    throw new TransportError("too_many_pending", "too many calls wait for an answer", { retryAfterMs: 5_000 });
  }

  return { connection: createFakeConnection({ dispatch, pendingCalls }), received, ran, cancelled };
}
