// Transports that a server does not support, with the probe's reason and evidence.
import type { EraVerdict, Evidence, ProbeReport } from "@lethe/probe";
import type { Transport } from "./transport.ts";

/** A transport that could not be recorded, with the reason. */
export interface UnavailableTransport {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  /** Exchanges that show the reason: "probe #1", "initialize ← 404". */
  readonly evidence: readonly string[];
}

type Named = Pick<Transport, "id" | "title">;

/** Uses the probe's verdict on the era, or the problem that prevented a verdict. */
export function toUnavailable({ id, title }: Named, verdict: EraVerdict, report: ProbeReport): UnavailableTransport {
  const { reasons, problem = report.problem } = verdict;
  if (verdict.isSpoken === false) {
    const evidence = reasons.flatMap(({ exchanges }) => exchanges).map((number) => `probe #${number}`);
    return { id, title, reason: `not supported: ${reasons.map(({ text }) => text).join("; ")}`, evidence };
  }
  if (!problem) return { id, title, reason: "the probe could not determine it", evidence: [] };
  const evidence = problem.exchange === undefined ? [] : [`probe #${problem.exchange}`];
  return { id, title, reason: `${problem.message}; ${problem.advice}`, evidence };
}

/** Streamable HTTP on a server that speaks the legacy revisions over HTTP+SSE. */
export function toReplacedBySse({ id, title }: Named, { evidence }: ProbeReport): UnavailableTransport {
  const shown = evidence.filter(({ what, via }) => what === "initialize" || via === "GET");
  return { id, title, reason: "the server speaks the legacy revisions over HTTP+SSE", evidence: shown.map(toText) };
}

/** HTTP+SSE on a server without an event stream that sends an endpoint. */
export function toMissingSse({ id, title }: Named, { evidence, target }: ProbeReport): UnavailableTransport {
  const reason = `no event stream with an endpoint event at ${target.address}`;
  const shown = evidence.find(({ via }) => via === "GET") ?? evidence.find(({ what }) => what === "initialize");
  return { id, title, reason, evidence: shown ? [toText(shown)] : [] };
}

/** HTTP+SSE at a URL where a GET opens a stream of Streamable HTTP. */
export function toUntriedSse({ id, title }: Named): UnavailableTransport {
  return {
    id,
    title,
    reason: "not tried: this URL speaks Streamable HTTP; pass the URL of the event stream",
    evidence: [],
  };
}

function toText({ what, answer }: Evidence): string {
  return `${what} ← ${answer}`;
}
