// Replaces the module of this name in tests: records the messages that an HTTP edge receives.
import {
  receiveBody as receive,
  receiveParsedBody as receiveParsed,
} from "../../../packages/server/src/http/check-request.ts";
import type { HttpCall } from "../../../packages/server/src/http/http-call.ts";
import { isWatched, parse, transcriptOf } from "./watch-http-io.ts";

export * from "../../../packages/server/src/http/check-request.ts";

export function receiveBody(call: HttpCall, text: string): void {
  if (isWatched(call.servable)) transcriptOf(call).heard(parse(text));
  receive(call, text);
}

export function receiveParsedBody(call: HttpCall, message: unknown): void {
  if (isWatched(call.servable)) transcriptOf(call).heard(message);
  receiveParsed(call, message);
}
