// The requests over HTTP that complete callbacks of handlers: a POST of JSON to the URL that a handler has given away.
import type { CallbackOutcome } from "../tasks/callback-outcome.ts";
import { type HttpAnswer, toJsonAnswer, toRefusal } from "./answers.ts";
import { type CallbackEdge, isServable, type ServableTarget } from "./servable.ts";

/** The callback that a path leads to. Whether it exists is not known before its token is opened. */
export interface RequestedCallback {
  readonly edge: CallbackEdge;
  readonly token: string;
}

/** The journal of a task keeps the body. */
const maxCallbackBytes = 65_536;

const outcomes: Readonly<Record<Exclude<CallbackOutcome, object> | "unknown", HttpAnswer>> = {
  completed: toJsonAnswer(200, '{"status":"completed"}'),
  repeated: toRefusal(409, "an earlier request has completed this callback"),
  ended: toRefusal(410, "the task of this callback has ended, or no longer waits for it"),
  unknown: toRefusal(404, "no callback has this URL, or it has expired"),
};

/** Undefined if no server has callbacks. */
export function toCallbackLookup(
  target: ServableTarget,
): ((path: string) => RequestedCallback | undefined) | undefined {
  if (typeof target === "function") return undefined;
  const servables = isServable(target) ? [target] : Object.values(target);
  const edges = servables.flatMap(({ callbacks }) => callbacks ?? []);
  if (edges.length === 0) return undefined;
  return (path) => {
    const edge = edges.find((candidate) => path.startsWith(candidate.path));
    return edge && { edge, token: path.slice(edge.path.length) };
  };
}

export function refuseCallbackVerb(verb: string): HttpAnswer | undefined {
  return verb === "POST" ? undefined : toRefusal(405, "method not allowed: use POST", { Allow: "POST" });
}

/** Returns the answer to a POST with the text of its body. Rejects with what is no fault of the sender. */
export async function answerCallback({ edge, token }: RequestedCallback, text: string): Promise<HttpAnswer> {
  if (text.length > maxCallbackBytes) return toRefusal(413, `the body exceeds ${maxCallbackBytes} bytes`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return toRefusal(400, "the body is not JSON");
  }
  const outcome = await edge.complete(token, body);
  return typeof outcome === "object" ? toRefusal(400, `the body is invalid: ${outcome.problem}`) : outcomes[outcome];
}
