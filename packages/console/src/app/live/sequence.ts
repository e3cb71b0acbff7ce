// The steps of a call as a sequence diagram: lanes for its caller, the replicas and the upstream, and one row per step.
import type { ExchangeDetail, Step } from "../admin/admin-api.ts";

export interface Lane {
  readonly id: string;
  readonly title: string;
  /** Such as "2025-11-25 · session 1a2b". */
  readonly hint: string;
}

export interface SequenceRow {
  readonly key: string;
  /** ms since the first request of the call. */
  readonly at: number;
  readonly step: Step;
  readonly from: number;
  readonly to: number;
}

/** One request of the caller. A call that asked its caller has several. */
export interface Round {
  readonly id: string;
  readonly rows: readonly SequenceRow[];
  /** How long the caller took before this round, in ms. Absent for the first one. */
  readonly pauseMs?: number;
}

export interface Sequence {
  readonly lanes: readonly Lane[];
  readonly rounds: readonly Round[];
  readonly totalMs: number;
}

/** `exchanges` are the rounds of one call. */
export function toSequence(exchanges: readonly ExchangeDetail[]): Sequence {
  const rounds = [...exchanges].sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const lanes = toLanes(rounds.flatMap(({ steps }) => steps));
  const laneOf = (id: string) =>
    Math.max(
      0,
      lanes.findIndex((lane) => lane.id === id),
    );
  const begin = Date.parse(rounds[0]?.time ?? "");
  const ends = rounds.map(({ time, ms }) => Date.parse(time) + ms);
  return {
    lanes,
    rounds: rounds.map(({ id, time, steps }, index) => {
      const start = Date.parse(time);
      const previous = ends[index - 1];
      return {
        id,
        rows: steps.map((step, number) => ({
          ...{ key: `${id} ${number}`, at: start - begin + step.at, step },
          ...{ from: laneOf(step.from), to: laneOf(step.to) },
        })),
        ...(previous !== undefined && { pauseMs: Math.max(0, start - previous) }),
      };
    }),
    totalMs: Math.max(0, ...ends.map((end) => end - begin)),
  };
}

function toLanes(steps: readonly Step[]): Lane[] {
  const ids = new Set(["caller", ...steps.flatMap(({ from, to }) => [from, to])]);
  const rank = (id: string) => (id === "caller" ? 0 : id.startsWith("replica") ? 1 : 2);
  return [...ids].sort((a, b) => rank(a) - rank(b)).map((id) => ({ id, title: titleOf(id), hint: hintOf(id, steps) }));
}

function titleOf(id: string): string {
  if (id === "caller") return "Caller";
  const [kind = "", name = ""] = id.split(/:(.*)/s);
  return kind === "replica" ? `Replica ${name}` : name;
}

/** Of callers only the era is recorded: the gateway converts messages of older revisions before it handles them. */
const eraHints = { modern: "2026-07-28 · no session", legacy: "older revision · session" };

/** What the messages between this lane and its neighbour say about its protocol. */
function hintOf(id: string, steps: readonly Step[]): string {
  if (id.startsWith("replica")) return "";
  const own = steps.filter(({ from, to }) => from === id || to === id);
  const find = (member: "revision" | "transport" | "session") =>
    own.find((step) => step[member] !== undefined)?.[member];
  const session = find("session");
  const era = own.find((step) => step.era !== undefined)?.era;
  return [find("revision") ?? (era && eraHints[era]), find("transport"), session && `session ${session}`]
    .filter(Boolean)
    .join(" · ");
}
