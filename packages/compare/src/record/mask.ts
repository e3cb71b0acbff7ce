// Masks secrets in a recording before it leaves the process: values given by the user, values of fields that hold secrets, and
// text that looks like a secret.
import { hidden, hideSecrets, isSecret, toForms } from "@lethe/probe";
import type { Header, HttpExchange, Recording } from "./recording.ts";

export interface MaskOptions {
  /** Masked everywhere in the recording. For "Bearer abc", the token alone is masked as well. */
  secrets?: readonly string[] | undefined;
  /** Header fields whose values are always masked. */
  headers?: readonly string[];
}

/** Characters of a session id that stay visible, so that a reader can tell ids apart. */
const keptOfId = 4;

const secretHeader =
  /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^(?:x-)?(?:\w+-)*auth$|(?:api[-_]?key|token|secret|password|credential|signature|assertion|jwt)/i;
const sessionHeader = /^(?:mcp-)?session-id$/i;
const sessionQuery = /(?<=[?&]session_?id=)[^&\s"'\\]+/gi;
/** A `requestState` is masked because its holder may continue the request. */
const requestState = /(?<=\\*"requestState\\*"\s*:\s*\\*")[^"\\]+/g;

export function maskRecording(recording: Recording, { secrets = [], headers = [] }: MaskOptions = {}): Recording {
  const mask = createMask([
    ...sessionsOf(recording).map((text) => ({ text, kept: keptOfId })),
    ...[...secrets, ...headerSecretsOf(recording)].flatMap(toForms).map((text) => ({ text, kept: 0 })),
  ]);
  const own = new Set(headers.map((name) => name.toLowerCase()));
  const isHidden = (name: string): boolean => secretHeader.test(name) || own.has(name.toLowerCase());
  const header = ([name, value]: Header): Header => [name, isHidden(name) ? hidden : mask(value)];
  return {
    ...recording,
    endpoint: mask(recording.endpoint),
    remarks: recording.remarks.map(mask),
    steps: recording.steps.map((step) => ({
      ...step,
      name: mask(step.name),
      ...(step.tool !== undefined && { tool: mask(step.tool) }),
      detail: mask(step.detail),
    })),
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
        ...(response.events && {
          events: response.events.map((event) => ({
            ...event,
            event: mask(event.event),
            data: mask(event.data),
            ...(event.id !== undefined && { id: mask(event.id) }),
          })),
        }),
      },
    }),
  };
}

interface Secret {
  readonly text: string;
  readonly kept: number;
}

function createMask(secrets: readonly Secret[]): (text: string) => string {
  const shown = new Map(
    secrets.filter(({ text }) => isSecret(text)).map(({ text, kept }) => [text, shorten(text, kept)]),
  );
  // Longest first, because one secret may be part of another.
  const patterns = toPatterns([...shown.keys()].sort((a, b) => b.length - a.length));
  return (given) => {
    let text = given;
    for (const pattern of patterns) text = text.replace(pattern, (secret) => shown.get(secret) ?? hidden);
    return hideSecrets(text)
      .replace(sessionQuery, (id) => (id.endsWith(hidden) ? id : shorten(id, keptOfId)))
      .replace(requestState, (state) => (state.endsWith(hidden) ? state : shorten(state, keptOfId)));
  };
}

/**
 * In UTF-16 code units. One pattern for many secrets is much faster than one pattern each, but the engine rejects very large
 * patterns.
 */
const maxPattern = 200_000;

function toPatterns(secrets: readonly string[]): RegExp[] {
  const sources: string[] = [];
  for (const secret of secrets) {
    const source = secret.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    const last = sources.at(-1);
    if (last === undefined || last.length + source.length > maxPattern) sources.push(source);
    else sources[sources.length - 1] = `${last}|${source}`;
  }
  return sources.map((source) => new RegExp(source, "g"));
}

function shorten(secret: string, kept: number): string {
  return `${secret.slice(0, Math.max(0, Math.min(kept, secret.length - 4)))}${hidden}`;
}

/** Session ids, which may recur in messages, URLs and events. */
function sessionsOf({ exchanges }: Recording): string[] {
  const ids = exchanges.flatMap(({ request, response }) => [
    ...[...request.headers, ...(response?.headers ?? [])].flatMap(([name, value]) =>
      sessionHeader.test(name) ? [value] : [],
    ),
    ...(request.target.match(sessionQuery) ?? []),
    ...(response?.events ?? []).flatMap(({ event, data }) =>
      event === "endpoint" ? (data.match(sessionQuery) ?? []) : [],
    ),
  ]);
  return [...new Set(ids)];
}

/** Values of secret header fields, which may recur anywhere. */
function headerSecretsOf({ exchanges }: Recording): string[] {
  const values = exchanges.flatMap(({ request, response }) => [
    ...request.headers.flatMap(([name, value]) => (secretHeader.test(name) ? partsOf(name, value) : [])),
    ...(response?.headers ?? []).flatMap(([name, value]) => (secretHeader.test(name) ? partsOf(name, value) : [])),
  ]);
  return [...new Set(values)];
}

function partsOf(name: string, value: string): string[] {
  if (/^set-cookie$/i.test(name)) return cookiesOf(value.replace(/;.*$/s, ""));
  if (/^cookie$/i.test(name)) return cookiesOf(value);
  const basic = /^Basic\s+(\S+)$/i.exec(value)?.[1];
  if (basic === undefined) return [value];
  return [
    value,
    Buffer.from(basic, "base64")
      .toString()
      .replace(/^[^:]*:/, ""),
  ];
}

/** A cookie may be harmless, such as a language: only values of 8 characters or more with a digit are masked elsewhere. */
function cookiesOf(text: string): string[] {
  return text
    .split(/;\s*/)
    .map((pair) => pair.replace(/^[^=]*=/, ""))
    .filter((value) => value.length >= 8 && /\d/.test(value));
}
