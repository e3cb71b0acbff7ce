// Names a step of a handler in errors, with an excerpt of its message.
import type { InputRequest } from "@lethe/protocol";

/** Characters of an excerpt. It travels in the journal, sealed or in the store, and is logged, so it stays short. */
const maxExcerpt = 30;

/** For example `elicit "How many nights?"`, with the key if there is one. */
export function labelOf(request: InputRequest, key: string | undefined): string {
  // The content of sampling is left out: it is long, and may be foreign text.
  const message = request.method === "elicitation/create" ? ` ${excerptOf(request.params.message)}` : "";
  return kindOf(request) + message + (key === undefined ? "" : ` with key ${excerptOf(key)}`);
}

function kindOf(request: InputRequest): string {
  if (request.method === "roots/list") return "roots";
  if (request.method === "sampling/createMessage") return "sample";
  return request.params.mode === "url" ? "elicitUrl" : "elicit";
}

function excerptOf(text: string): string {
  return JSON.stringify(text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}…` : text);
}

/** At most three labels, for an error. */
export function listLabels(labels: readonly string[]): string {
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return labels.slice(0, 3).join(", ") + more;
}

/** Why a handler does not repeat its requests, and what to change. */
export const replayAdvice: string =
  "Either a value that the handler reads before this request differs from run to run, or its code was changed while the call waited. " +
  "A handler runs again from the top in each round and must make the same requests in the same order. " +
  "Take the time from ctx.now(), random ids from ctx.uuid() and other changing values from ctx.once(), " +
  'or give each request its own "key". Give changed code a new "version"';
