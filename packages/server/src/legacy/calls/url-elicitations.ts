// Places that the user was sent to (D-39): each has an id, and its client learns when the call needs it no longer.
import type { InputRequests, JsonObject } from "@lethe/protocol";
import { legacyNotification } from "@lethe/protocol/revisions";
import { randomId } from "../sessions/random-id.ts";
import type { RunningCall } from "./running-call.ts";

type Question = InputRequests[string];

export interface UrlElicitations {
  /** One id for one URL, however often the core asks. */
  idOf(question: Question): string;
  enter(question: Question, answer: JsonObject): void;
  /** Whatever the core asks for no longer is complete; the client may close its window. */
  leave(questions: InputRequests | undefined): void;
}

/** `_meta` is that of every message about them. */
export function createUrlElicitations(run: RunningCall, _meta?: JsonObject): UrlElicitations {
  const idByUrl = new Map<string, string>();
  const entered = new Set<string>();
  return {
    idOf(question) {
      const url = urlOf(question);
      if (url === undefined) return "";
      const id = idByUrl.get(url) ?? randomId();
      idByUrl.set(url, id);
      return id;
    },
    enter(question, answer) {
      const url = urlOf(question);
      if (url !== undefined && answer.action === "accept") entered.add(url);
    },
    leave(questions = {}) {
      if (entered.size === 0) return;
      const asked = new Set(Object.values(questions).map(urlOf));
      for (const url of entered) {
        if (asked.has(url)) continue;
        entered.delete(url);
        const params = { elicitationId: idByUrl.get(url), ...(_meta && { _meta }) };
        run.notify({ jsonrpc: "2.0", method: legacyNotification.elicitationComplete, params });
      }
    },
  };
}

export function urlOf(question: Question): string | undefined {
  if (question.method !== "elicitation/create") return undefined;
  return question.params.mode === "url" ? question.params.url : undefined;
}
