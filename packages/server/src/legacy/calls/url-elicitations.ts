// The URL elicitations of one call (D-39): each has an id, and the client is notified when it is complete.
import type { InputRequests, JsonObject } from "@lethe/protocol";
import { legacyNotification } from "@lethe/protocol/revisions";
import { randomId } from "../sessions/session-facts.ts";
import type { RunningCall } from "./running-call.ts";

type InputRequest = InputRequests[string];

export class UrlElicitations {
  readonly #call: RunningCall;
  readonly #meta: JsonObject | undefined;
  readonly #idByUrl = new Map<string, string>();
  /** The URLs that the user agreed to visit. */
  readonly #accepted = new Set<string>();

  /** `meta` is the `_meta` of every notification. */
  constructor(call: RunningCall, meta?: JsonObject) {
    this.#call = call;
    this.#meta = meta;
  }

  /** The id stays the same however often the core requests the same URL. Empty for every other input request. */
  idOf(inputRequest: InputRequest): string {
    const url = urlOf(inputRequest);
    if (url === undefined) return "";
    const id = this.#idByUrl.get(url) ?? randomId();
    this.#idByUrl.set(url, id);
    return id;
  }

  recordResponse(inputRequest: InputRequest, response: JsonObject): void {
    const url = urlOf(inputRequest);
    if (url !== undefined && response.action === "accept") this.#accepted.add(url);
  }

  /** Notifies the client that accepted URLs are complete, except for those that the core still requests. */
  completeAllBut(inputRequests: InputRequests = {}): void {
    if (this.#accepted.size === 0) return;
    const requested = new Set(Object.values(inputRequests).map(urlOf));
    for (const url of this.#accepted) {
      if (requested.has(url)) continue;
      this.#accepted.delete(url);
      const params = { elicitationId: this.#idByUrl.get(url), ...(this.#meta && { _meta: this.#meta }) };
      this.#call.notify({ jsonrpc: "2.0", method: legacyNotification.elicitationComplete, params });
    }
  }
}

export function urlOf(inputRequest: InputRequest): string | undefined {
  if (inputRequest.method !== "elicitation/create") return undefined;
  return inputRequest.params.mode === "url" ? inputRequest.params.url : undefined;
}
