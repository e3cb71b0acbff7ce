// Durations as authors write them: milliseconds, or a number with a unit.
import { nameOf } from "@lethe/protocol";

type Unit =
  | ("ms" | "s" | "second" | "seconds" | "m" | "min" | "minute" | "minutes")
  | ("h" | "hour" | "hours" | "d" | "day" | "days");

/** A number of ms, or a text such as "30 s", "90m" or "2 days". */
export type Duration = number | `${number}${"" | " "}${Unit}`;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const msOfUnit: Readonly<Record<Unit, number>> = {
  ...{ ms: 1, s: second, second, seconds: second, m: minute, min: minute, minute, minutes: minute },
  ...{ h: hour, hour, hours: hour, d: day, day, days: day },
};

/** Returns ms, rounded up to a whole number. Throws a TypeError for anything else than a `Duration` of 0 or more. */
export function toMs(duration: Duration): number {
  const ms = typeof duration === "string" ? readText(duration) : duration;
  if (typeof ms === "number" && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER) return Math.ceil(ms);
  const got =
    typeof duration === "string" || typeof duration === "number" ? JSON.stringify(duration) : nameOf(duration);
  throw new TypeError(`a duration of 0 ms or more expected, such as 500, "30 s", "90m" or "2 days", got ${got}`);
}

function readText(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,15})?) ?([a-z]{1,7})$/.exec(text) ?? [];
  return Object.hasOwn(msOfUnit, unit) ? Number(count) * msOfUnit[unit as Unit] : Number.NaN;
}
