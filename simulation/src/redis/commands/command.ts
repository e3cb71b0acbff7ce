// What a command of the simulated Redis is, and how commands read their arguments.
import type { Keyspace } from "../keyspace.ts";
import { notInteger, type Reply, ReplyError, syntaxError } from "../reply.ts";

export interface CommandContext {
  readonly keyspace: Keyspace;
  /** Chooses random members. */
  random(): number;
  /** The time of Redis in ms. */
  now(): number;
  /** Returns the number of receivers. */
  publish(channel: string, text: string): number;
  subscribers(channel: string): number;
}

export interface Command {
  run(context: CommandContext, args: readonly string[]): Reply;
  /** The least number of arguments. */
  readonly least: number;
  readonly writes?: boolean;
  /** Whether a full Redis rejects it. */
  readonly needsMemory?: boolean;
}

/** A command that changes keys and may need memory. */
export function growing(least: number, run: Command["run"]): Command {
  return { run, least, writes: true, needsMemory: true };
}

/** A command that changes keys and needs no memory. */
export function shrinking(least: number, run: Command["run"]): Command {
  return { run, least, writes: true };
}

export function reading(least: number, run: Command["run"]): Command {
  return { run, least };
}

export function toInteger(text: string | undefined): number {
  if (text === undefined || !/^-?(?:0|[1-9]\d{0,18})$/.test(text)) throw new ReplyError(notInteger);
  return Number(text);
}

export function toFloat(text: string | undefined): number {
  const value = text === undefined || text === "" ? Number.NaN : parseFloatText(text);
  if (Number.isNaN(value)) throw new ReplyError("ERR value is not a valid float");
  return value;
}

function parseFloatText(text: string): number {
  const lower = text.toLowerCase();
  if (lower === "inf" || lower === "+inf") return Number.POSITIVE_INFINITY;
  if (lower === "-inf") return Number.NEGATIVE_INFINITY;
  return Number(text);
}

/** How Redis writes a score. */
export function formatFloat(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "inf";
  if (value === Number.NEGATIVE_INFINITY) return "-inf";
  return String(value).replace(/e\+?/, "e+").replace("e+-", "e-");
}

export function requirePair(count: number): void {
  if (count % 2 !== 0) throw new ReplyError(syntaxError);
}

/** The part of a list from `first` to `last`; negative positions count from the end. */
export function sliceOf<T>(items: readonly T[], first: number, last: number): T[] {
  const start = first < 0 ? Math.max(items.length + first, 0) : first;
  const end = last < 0 ? items.length + last : last;
  // A last position before the first item is no position from the end.
  return items.slice(start, Math.max(end + 1, 0));
}
