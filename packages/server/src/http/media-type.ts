// Content negotiation (B-9): is the body JSON, and does the client accept an event stream?

/** True for `application/json` with any parameters. Rejecting other types also prevents cross-site form posts. */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return contentType === "application/json" || essenceOf(contentType ?? "") === "application/json";
}

/** The header that most clients send. */
const usualAccept = "application/json, text/event-stream";

/** True if `Accept` is absent or includes text/event-stream. */
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
