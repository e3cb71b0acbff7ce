// Converts a recording to a sequence of arrows between client and server, ordered by time.
import { headerOf } from "../record/http-parser.ts";
import { describeMessage, parseAll } from "../record/messages.ts";
import type { HttpExchange, Recording, StdioLine } from "../record/recording.ts";

export interface Arrow {
  readonly at: number;
  readonly from: "client" | "server";
  /** The number of the exchange or line. */
  readonly number: number;
  /** The carrier of the message: "POST /mcp", "200 application/json", "event". Empty over stdio. */
  readonly carrier: string;
  /** A summary of the message: "tools/call greet". */
  readonly words: string;
  readonly bytes?: number;
}

export interface SequencePart {
  /** The name of the step. */
  readonly title: string;
  readonly arrows: readonly Arrow[];
}

/** Each arrow belongs to the last step that began before it. */
export function toSequence(recording: Recording): SequencePart[] {
  const { exchanges, lines, steps } = recording;
  const arrows = [...exchanges.flatMap(ofExchange), ...lines.map(ofLine)].sort((a, b) => a.at - b.at);
  const tried = steps.filter(({ outcome }) => outcome !== "observed");
  const end = tried.at(-1)?.endedAt ?? 0;
  const bounds = [
    ...tried.map(({ name, startedAt }) => ({ title: name, startedAt })),
    { title: "close", startedAt: end },
  ];
  return bounds
    .map(({ title, startedAt }, index) => {
      const from = index === 0 ? Number.NEGATIVE_INFINITY : startedAt;
      const to = bounds[index + 1]?.startedAt ?? Number.POSITIVE_INFINITY;
      return { title, arrows: arrows.filter(({ at }) => at >= from && at < to) };
    })
    .filter((part) => part.arrows.length > 0);
}

function ofExchange(exchange: HttpExchange): Arrow[] {
  const { number, startedAt, endedAt, isCut, request, response } = exchange;
  const asked: Arrow = {
    at: startedAt,
    from: "client",
    number,
    carrier: `${request.verb} ${request.target}`,
    words: describeMessages(request.body),
    bytes: request.headBytes + request.bodyBytes,
  };
  if (!response) return [asked];
  const type = headerOf(response.headers, "content-type")?.replace(/;.*$/s, "");
  const answered: Arrow = {
    at: response.at,
    from: "server",
    number,
    carrier: [response.status, type].filter((part) => part !== undefined).join(" "),
    words: describeMessages(response.body),
    bytes: response.headBytes + response.bodyBytes,
  };
  const events = (response.events ?? []).map(({ at, event, data }): Arrow => {
    const carrier = event === "message" ? "event" : `event ${event}`;
    return { at, from: "server", number, carrier, words: describeMessages(data) || data.slice(0, 80) };
  });
  const cut: Arrow[] =
    isCut && endedAt !== undefined
      ? [{ at: endedAt, from: "client", number, carrier: "ends the stream", words: "" }]
      : [];
  return [asked, answered, ...events, ...cut];
}

function ofLine({ number, at, sender, text, bytes }: StdioLine): Arrow {
  return { at, from: sender, number, carrier: "", words: describeMessages(text) || text.slice(0, 80), bytes };
}

/** Describes the messages in a text. Empty for anything else. */
export function describeMessages(text: string): string {
  return parseAll(text).map(describeMessage).join(", ");
}
