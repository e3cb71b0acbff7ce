// An exchange as a report shows it: shortened and masked.

import { inShort } from "../behaviour/problem.ts";
import { type Exchange, sessionHeader } from "../exchange/exchange.ts";
import type { Mask } from "../target/mask.ts";

/** One exchange of a probe: the request and the answer of the server. Secrets are masked. */
export interface Evidence {
  readonly number: number;
  readonly what: string;
  readonly via: Exchange["sent"]["via"];
  readonly address: string;
  /** The sent session id, shortened. */
  readonly sessionId?: string;
  readonly status?: number;
  /** The status and the JSON-RPC code, or why there is no answer. */
  readonly answer: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the answer's body, or the platform's message if there is none. */
  readonly body: string;
  readonly ms: number;
}

const shownBody = 300;

export function toEvidence(
  { number, what, sent, status, headers, body, answer, ...rest }: Exchange,
  mask: Mask,
): Evidence {
  const sessionId = sent.headers[sessionHeader];
  const shown = answer.kind === "none" ? answer.message : body;
  return {
    number,
    what,
    via: sent.via,
    address: mask.apply(sent.address),
    ...(sessionId !== undefined && { sessionId: mask.apply(sessionId) }),
    ...(status !== undefined && { status }),
    answer: inShort({ number, what, sent, headers, body, answer, ...rest, ...(status !== undefined && { status }) }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, mask.apply(toShown(name, value))]),
    ),
    body: cut(mask.apply(shown)),
    ms: Math.round(rest.ms * 10) / 10,
  };
}

/** Masks the value of a cookie, because it may be a session. */
function toShown(name: string, value: string): string {
  return name === "set-cookie" ? value.replace(/=[^;,]*/g, "=***").replace(/;[^,]*/g, "") : value;
}

function cut(text: string): string {
  return text.length > shownBody ? `${text.slice(0, shownBody)}…` : text;
}
