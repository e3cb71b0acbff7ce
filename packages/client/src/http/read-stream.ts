// Reads the event stream that answers one request (B-70, B-71): notifications first, then the response.
import {
  createSseDecoder,
  type Exchange,
  isResponse,
  type JsonRpcNotification,
  type JsonRpcResponse,
  type MemoryBudget,
  type SseDecoder,
  type SseEvent,
} from "@lethe/protocol";
import { orCancelled } from "../call/cancel-signal.ts";
import type { Deadline } from "../call/deadline.ts";
import type { LoopShare } from "../call/loop-share.ts";
import { type Expectation, processStreamMessage } from "../call/process-response.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "./held-answer.ts";
import type { HttpAnswer } from "./http-send.ts";

export interface StreamContext {
  readonly expected: Expectation;
  readonly exchange: Exchange;
  readonly deadline: Deadline;
  readonly maxEventBytes: number;
  readonly memory: MemoryBudget;
  readonly share: LoopShare;
}

/** The stream's response. A stream that ends without one has lost the request. */
export async function readStream(answer: HttpAnswer, context: StreamContext): Promise<JsonRpcResponse> {
  const { expected, exchange, deadline, maxEventBytes, share } = context;
  const decoder = createSseDecoder({ maxEventBytes });
  const chunks = answer.chunks(share);
  const held = new HeldAnswer(context.memory, `${expected.method} to ${expected.server}`, () => void chunks.return?.());
  let response: JsonRpcResponse | undefined;
  try {
    for (let part = await chunks.next(); !part.done; part = await chunks.next()) {
      if (share.restMs > 0) await orCancelled(share.rest(), deadline);
      deadline.touch();
      let startedAt = performance.now();
      const events = decode(decoder, part.value);
      held.set(decoder.heldLength);
      for (const { event, data } of events) {
        // An event without data only sets the event id. An event with another name is not part of the protocol.
        if (event !== "message" || data === "") continue;
        const message = processStreamMessage(data, expected);
        if (message === undefined) continue;
        if (isResponse(message)) {
          response = message;
          return message;
        }
        const isHeld = !exchange.notify(message as JsonRpcNotification);
        if (!isHeld && !share.isTurnOver(startedAt)) continue;
        share.spend(startedAt);
        if (isHeld) await orCancelled(exchange.drained(), deadline);
        if (share.restMs > 0) await orCancelled(share.rest(), deadline);
        startedAt = performance.now();
      }
      share.spend(startedAt);
    }
  } finally {
    held.release();
    if (response) answer.discard();
    else void chunks.return?.();
  }
  held.requireKept();
  throw new TransportError("lost", `${expected.method} to ${expected.server}: the stream ended without a response`);
}

function decode(decoder: SseDecoder, text: string): SseEvent[] {
  try {
    return decoder.push(text);
  } catch (error) {
    throw new TransportError("too_large", (error as Error).message);
  }
}
