// The two questions that content negotiation asks here (B-9).

/** True for `application/json` with whatever parameters; anything else is also a barrier against forged forms. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return contentType === "application/json" || essenceOf(contentType ?? "") === "application/json";
}

/** What most clients send. */
const usualAccept = "application/json, text/event-stream";

/** Lenient: an absent `Accept` accepts all. A client that names only other types never gets a stream. */
export function acceptsEventStream(accept: string | undefined): boolean {
  return accept === undefined || accept === usualAccept || accept.split(",").some(isEventStreamRange);
}

function isEventStreamRange(range: string): boolean {
  const essence = essenceOf(range);
  if (essence !== "text/event-stream" && essence !== "text/*" && essence !== "*/*") return false;
  return !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range);
}

function essenceOf(value: string): string {
  const end = value.indexOf(";");
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase();
}
