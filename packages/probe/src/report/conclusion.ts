// What a report says in one sentence.
import type { ProbeReport } from "./report.ts";

/** How a reader knows the server: its name in the configuration, its own name, or its address. */
export function nameOf({ target, features }: ProbeReport): string {
  return target.name ?? features.server?.name ?? target.address;
}

/** "files is stateful: a session lives in its process." */
export function conclude(report: ProbeReport): string {
  const { word, decidedBy, problem, keptState } = report;
  const name = nameOf(report);
  if (word === "UNKNOWN")
    return `The probe cannot tell whether ${name} is stateless${problem ? `: ${problem.message}` : ""}.`;
  const is = word === "STATELESS" ? "stateless" : "stateful";
  if (decidedBy === "configuration") return `${name} is ${is}, as its configuration says.`;
  if (decidedBy !== "behaviour")
    return `${name} may be ${is}: its ${decidedBy} say so, and its behaviour was not tried.`;
  if (word === "STATEFUL") return `${name} is stateful: ${whereSessionsLive(report)}.`;
  if (keptState.length > 0) return `${name} has no sessions of the protocol, but probably keeps state between calls.`;
  return `${name} is stateless: any instance can answer any request.`;
}

function whereSessionsLive({ eras, transport }: ProbeReport): string {
  if (eras.legacy.contract === "single-tenant") return "it has one session, for one client";
  if (transport === "stdio") return "each process is one session";
  return "a session must continue on the instance where it started";
}

/** Of several servers, how many are what. */
export function concludeAll(reports: readonly ProbeReport[]): string {
  const [only] = reports;
  if (only && reports.length === 1) return conclude(only);
  const count = (word: ProbeReport["word"]) => reports.filter((report) => report.word === word).length;
  const parts = [
    [count("STATELESS"), "stateless"],
    [count("STATEFUL"), "stateful"],
    [count("UNKNOWN"), "unknown"],
  ].filter(([number]) => number !== 0);
  const shown = parts.map(([number, word]) => `${number} ${number === 1 ? "is" : "are"} ${word}`);
  return `Of ${reports.length} servers, ${toList(shown)}.`;
}

function toList(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
