// Keeps secrets out of recordings before they leave the process: what the user gave us, and what looks like a secret anyway.
import type { Header, HttpExchange, Recording } from "./recording.ts";

const hidden = "***";
/** A shorter text is no secret, and masking it would tear holes into everything. */
const shortestSecret = 6;
/** Of a session id, to tell it from another. */
const keptOfId = 4;

const secretHeader = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|(?:api[-_]?key|token|secret|password|credential)/i;
const sessionHeader = /^(?:mcp-)?session-id$/i;
const tokens = [
  // Not the parameters of a challenge: `Bearer resource_metadata="…"`.
  /(?<=\bBearer\s+)(?!\w+=["\w])[\w.~+/-]{6,}=*/gi,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:sk|pk|ghp|gho|ghs|xox[abp]|glpat)[-_][\w-]{12,}/g,
  /(?<=[?&][\w.-]*(?:key|token|secret|password|signature|auth|code)=)[^&\s"'\\]+/gi,
  /(?<="(?:access_token|refresh_token|id_token|client_secret|password|api_?key)"\s*:\s*")[^"]+/gi,
  /(?<=\bhttps?:\/\/)[^/@\s"']+(?=@)/g,
  /(?<=--?[\w-]*(?:key|token|secret|password)[= ])\S+/gi,
];
const sessionQuery = /(?<=[?&]session_?id=)[^&\s"'\\]+/gi;
/** Whoever holds a state may continue the request. */
const requestState = /(?<="requestState"\s*:\s*")[^"]+/g;

/** `secrets` are masked wherever they stand, also the second word of "Bearer abc". */
export function maskRecording(recording: Recording, secrets: readonly string[]): Recording {
  const mask = createMask([...secrets.flatMap(partsOf), ...sessionsOf(recording)]);
  const header = ([name, value]: Header): Header => [name, secretHeader.test(name) ? hidden : mask(value)];
  return {
    ...recording,
    endpoint: mask(recording.endpoint),
    remarks: recording.remarks.map(mask),
    steps: recording.steps.map((step) => ({ ...step, detail: mask(step.detail) })),
    lines: recording.lines.map((line) => ({ ...line, text: mask(line.text) })),
    exchanges: recording.exchanges.map((exchange) => maskExchange(exchange, mask, header)),
  };
}

function maskExchange(
  exchange: HttpExchange,
  mask: (text: string) => string,
  header: (one: Header) => Header,
): HttpExchange {
  const { request, response } = exchange;
  return {
    ...exchange,
    request: {
      ...request,
      target: mask(request.target),
      headers: request.headers.map(header),
      body: mask(request.body),
    },
    ...(response && {
      response: {
        ...response,
        headers: response.headers.map(header),
        body: mask(response.body),
        ...(response.events && { events: response.events.map((event) => ({ ...event, data: mask(event.data) })) }),
      },
    }),
  };
}

interface Secret {
  readonly text: string;
  readonly kept: number;
}

export function createMask(secrets: readonly Secret[]): (text: string) => string {
  // The longest first: one secret may be a part of another.
  const known = secrets
    .filter(({ text }) => text.length >= shortestSecret)
    .sort((a, b) => b.text.length - a.text.length);
  return (given) => {
    let text = given;
    for (const { text: secret, kept } of known) text = text.replaceAll(secret, shorten(secret, kept));
    for (const pattern of tokens) text = text.replace(pattern, hidden);
    return text
      .replace(sessionQuery, (id) => (id.endsWith(hidden) ? id : shorten(id, keptOfId)))
      .replace(requestState, (state) => shorten(state, keptOfId));
  };
}

function shorten(secret: string, kept: number): string {
  return `${secret.slice(0, Math.max(0, Math.min(kept, secret.length - 4)))}${hidden}`;
}

function partsOf(secret: string): Secret[] {
  const credentials = /^\S+\s+(\S+)$/.exec(secret)?.[1];
  return [secret, ...(credentials === undefined ? [] : [credentials])].map((text) => ({ text, kept: 0 }));
}

/** A session id may come back in a message or an address. */
function sessionsOf({ exchanges }: Recording): Secret[] {
  const ids = exchanges.flatMap(({ request, response }) =>
    [...request.headers, ...(response?.headers ?? [])].flatMap(([name, value]) =>
      sessionHeader.test(name) ? [value] : [],
    ),
  );
  return [...new Set(ids)].map((text) => ({ text, kept: keptOfId }));
}
