// A transport that a server does not have, in the probe's words and with the exchanges that show it.
import type { EraVerdict, Evidence, ProbeReport } from "@lethe/probe";
import type { Transport } from "./transport.ts";

export interface UnavailableTransport {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  /** "probe #1", "initialize ← 404". */
  readonly evidence: readonly string[];
}

type Named = Pick<Transport, "id" | "title">;

/** By what the probe found of the era, or why it could not find out. */
export function toUnavailable({ id, title }: Named, verdict: EraVerdict, report: ProbeReport): UnavailableTransport {
  const { reasons, problem = report.problem } = verdict;
  if (verdict.isSpoken === false) {
    const evidence = reasons.flatMap(({ exchanges }) => exchanges).map((number) => `probe #${number}`);
    return { id, title, reason: `not spoken: ${reasons.map(({ text }) => text).join("; ")}`, evidence };
  }
  if (!problem) return { id, title, reason: "the probe could not find out", evidence: [] };
  const evidence = problem.exchange === undefined ? [] : [`probe #${problem.exchange}`];
  return { id, title, reason: `${problem.message}; ${problem.advice}`, evidence };
}

/** Streamable HTTP, where the older revisions are spoken over an event stream instead. */
export function toReplaced({ id, title }: Named, { evidence }: ProbeReport): UnavailableTransport {
  const asked = evidence.filter(({ what, via }) => what === "initialize" || via === "GET");
  return { id, title, reason: "its older revisions are spoken over HTTP+SSE", evidence: asked.map(toText) };
}

/** HTTP+SSE, where no stream that names an endpoint was found. */
export function toUnopened({ id, title }: Named, { evidence, target }: ProbeReport): UnavailableTransport {
  const reason = `no event stream that names an endpoint at ${target.address}`;
  const asked = evidence.find(({ via }) => via === "GET") ?? evidence.find(({ what }) => what === "initialize");
  return { id, title, reason, evidence: asked ? [toText(asked)] : [] };
}

/** HTTP+SSE, where a GET opens a stream of Streamable HTTP. */
export function toUnsought({ id, title }: Named): UnavailableTransport {
  return {
    id,
    title,
    reason: "not looked for: this address speaks Streamable HTTP; give that of the stream",
    evidence: [],
  };
}

function toText({ what, answer }: Evidence): string {
  return `${what} ← ${answer}`;
}
