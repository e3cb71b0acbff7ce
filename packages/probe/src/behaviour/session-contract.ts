// Decides how a legacy server uses sessions, by comparing the answers to one request (step 3 of the procedure): with the
// session id, without one, and with a made-up one. Message texts and codes are no evidence.
import { type Exchange, sessionIdOf } from "../exchange/exchange.ts";
import type { Reason } from "./modern-era.ts";
import { inShort, isOk, isRefusal, type Problem, problemOf } from "./problem.ts";

/**
 * - `none`: the server issues no ids.
 * - `optional`: it issues ids and answers requests without one.
 * - `soft`: it requires an id and accepts any.
 * - `enforced`: it accepts only ids that it issued.
 * - `implicit`: a request without an id gets a new session.
 * - `single-tenant`: it has one session, for one client.
 * - `process`: a process is a session (stdio).
 */
export type Contract = "none" | "optional" | "soft" | "enforced" | "implicit" | "single-tenant" | "process";

/** How far the evidence supports a verdict. */
export type Confidence = "high" | "medium" | "low";

export interface ContractFinding {
  readonly contract?: Contract;
  /** For "optional": a made-up id is refused, so the server keeps a table of sessions. */
  readonly isChecked?: boolean;
  readonly confidence: Confidence;
  readonly reasons: readonly Reason[];
  /** Set instead of a contract. */
  readonly problem?: Problem;
}

export interface Trials {
  readonly initialize: Exchange;
  /** Undefined if `initialize` issued no id. */
  readonly sessionId: string | undefined;
  /** The successful request with the id, or without one if there is none. */
  readonly baseline: Exchange;
  /** Absent if there is no id, because the baseline has none either. */
  readonly without?: Exchange | undefined;
  readonly foreign: Exchange;
  /** After a refusal: the request with the real id once more. */
  readonly again?: Exchange | undefined;
  /** After a refusal that may be a failure: the same request once more. */
  readonly repeated?: Exchange | undefined;
  /** A second test if the list worked without an id: ping without an id, and if refused, with it. */
  readonly ping?: { readonly without: Exchange; readonly with?: Exchange | undefined } | undefined;
  /** A second `initialize` while the first session is open. */
  readonly second?: Exchange | undefined;
}

export function decideContract(trials: Trials): ContractFinding {
  return trials.sessionId === undefined ? decideWithoutId(trials) : decideWithId(trials, trials.sessionId);
}

function decideWithoutId({ initialize, baseline, foreign }: Trials): ContractFinding {
  const first = because("initialize issued no session id", initialize);
  if (sessionIdOf(baseline)) {
    return found("implicit", "high", [first, because(`${baseline.what} got a new session`, baseline)]);
  }
  const answered = because(`${baseline.what} was answered on a separate connection`, baseline);
  if (isOk(foreign)) return found("none", "high", [first, answered, because("a made-up id changed nothing", foreign)]);
  const refused = because(`a made-up id was not accepted: ${inShort(foreign)}`, foreign);
  return found("none", isRefusal(foreign) ? "high" : "medium", [first, answered, refused]);
}

function decideWithId(trials: Trials, sessionId: string): ContractFinding {
  const { initialize, baseline, without = baseline, foreign } = trials;
  const isOwn = sessionIdOf(initialize) === undefined;
  const issued = because(
    isOwn ? "initialize accepted a client-made session id" : "initialize issued a session id",
    initialize,
  );
  const own = because(`${baseline.what} was answered`, baseline);
  const minted = [without, foreign].find((exchange) => isOk(exchange) && isNewId(exchange, sessionId));
  if (minted) return found("implicit", "high", [issued, own, because(`${minted.what} got a new session`, minted)]);
  if (isOk(without)) return decideOptional(trials, [issued, own, because(`${without.what} was answered too`, without)]);
  return decideRefused(trials, [issued, own]);
}

function decideOptional({ foreign, ping }: Trials, reasons: readonly Reason[]): ContractFinding {
  if (ping?.with && isRefusal(ping.without) && isOk(ping.with)) {
    const witness = because(
      `ping was refused without an id (${inShort(ping.without)}) and answered with it`,
      ping.without,
      ping.with,
    );
    return found("enforced", "high", [...reasons, witness]);
  }
  if (isOk(foreign)) return found("optional", "high", [...reasons, because("so was a made-up id", foreign)]);
  if (!isRefusal(foreign)) return unclear(foreign, reasons);
  const refused = because(`a made-up id was refused: ${inShort(foreign)}`, foreign);
  return { ...found("optional", "medium", [...reasons, refused]), isChecked: true };
}

function decideRefused(trials: Trials, reasons: readonly Reason[]): ContractFinding {
  const { baseline, without = baseline, foreign, again, repeated, second } = trials;
  // If the id works before and after, the refusals in between were caused by the id.
  if (!again || !isOk(again)) {
    const advice = "see the evidence: the session expired, or the server answers at random";
    const message = `${baseline.what} was answered at first but not later: ${again ? inShort(again) : "not tried"}`;
    const unstable: Problem = { reason: "unstable", message, advice, ...(again && { exchange: again.number }) };
    return unknown((again && problemOf(again)) ?? unstable, reasons);
  }
  if (repeated && isOk(repeated)) {
    const message = `${without.what} was first refused and then answered`;
    return unknown({ reason: "unstable", message, advice: "probe again", exchange: repeated.number }, reasons);
  }
  const still = because("the id still worked afterwards", again);
  const isMissed = isRefusal(without);
  const missed = because(`${without.what}: ${inShort(without)}`, without, ...(repeated ? [repeated] : []));
  if (isOk(foreign)) {
    if (!isMissed) return unclear(without, reasons);
    return found("soft", "medium", [...reasons, missed, because("a made-up id was answered", foreign), still]);
  }
  if (!isRefusal(foreign)) return unclear(foreign, reasons);
  const refused = because(`a made-up id was refused: ${inShort(foreign)}`, foreign);
  const all = [...reasons, missed, refused, still];
  const confidence = isMissed ? "high" : "medium";
  if (!second || !isRefusal(second)) return found("enforced", confidence, all);
  return found("single-tenant", confidence, [
    ...all,
    because(`a second client was refused: ${inShort(second)}`, second),
  ]);
}

/**
 * Decides after `initialize` was refused. A server that answers differently without an id and with a made-up one has sessions,
 * so its only session is taken.
 */
export function decideOccupied(
  initialize: Exchange,
  without: Exchange,
  foreign: Exchange,
): ContractFinding | undefined {
  const isDifferent = isRefusal(without) && isRefusal(foreign) && inShort(without) !== inShort(foreign);
  if (!isDifferent) return undefined;
  return found("single-tenant", "medium", [
    because(`initialize was refused: ${inShort(initialize)}`, initialize),
    because(
      `a missing id (${inShort(without)}) and a made-up one (${inShort(foreign)}) get different answers`,
      without,
      foreign,
    ),
  ]);
}

function isNewId(exchange: Exchange, sessionId: string): boolean {
  const id = sessionIdOf(exchange);
  // An echo of the sent id is not a new session.
  return id !== undefined && id !== sessionId && id !== exchange.sent.headers["mcp-session-id"];
}

function found(contract: Contract, confidence: Confidence, reasons: readonly Reason[]): ContractFinding {
  return { contract, confidence, reasons };
}

function unclear(exchange: Exchange, reasons: readonly Reason[]): ContractFinding {
  const { what, number } = exchange;
  const message = `${what}: ${inShort(exchange)}`;
  return unknown(
    problemOf(exchange) ?? { reason: "unstable", message, advice: "probe again", exchange: number },
    reasons,
  );
}

function unknown(problem: Problem, reasons: readonly Reason[]): ContractFinding {
  return { confidence: "low", reasons, problem };
}

function because(text: string, ...exchanges: Exchange[]): Reason {
  return { text, exchanges: exchanges.map(({ number }) => number) };
}
