// Replaces the module of this name in tests: validates the messages that a client sends over fetch.
import { createFetchSend as createSend, type Fetch } from "../../../packages/client/src/http/fetch-send.ts";
import type { HttpSend } from "../../../packages/client/src/http/http-send.ts";
import { watchSend } from "./watch-send.ts";

export type { Fetch };

export function createFetchSend(fetch?: Fetch): HttpSend {
  return watchSend(createSend(fetch));
}
