// Copies a value as JSON, so that the round that computed it sees the same as later rounds.
import { InteractionError } from "./interaction-error.ts";

const maxDepth = 100;

/** Undefined members are dropped. Throws an InteractionError that names the position of a value that JSON cannot express. */
export function toJsonValue(value: unknown, place: string, depth = 0): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    throw notJson(place, String(value));
  }
  if (typeof value !== "object") throw notJson(place, typeof value === "undefined" ? "undefined" : `a ${typeof value}`);
  if (depth > maxDepth) throw new InteractionError(`${place} is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) return value.map((item, index) => toJsonValue(item, `${place}[${index}]`, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw notJson(place, `an instance of ${prototype.constructor?.name || "a class"}`);
  }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([key, member]) => [key, toJsonValue(member, `${place}.${key}`, depth + 1)]));
}

function notJson(place: string, what: string): InteractionError {
  return new InteractionError(`${place} has to be JSON, got ${what}`);
}
