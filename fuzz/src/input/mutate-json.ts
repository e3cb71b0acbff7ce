// Mutates a JSON value in one random place: another value, another member name, an added or removed member, or more depth.
import { hostileTexts, hostileValues, memberNames } from "./dictionary.ts";
import type { Random } from "./random.ts";

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Returns a mutated copy. `times` is the number of mutations; default 1. */
export function mutateJson(value: unknown, random: Random, times = 1): unknown {
  const root: Record<string, unknown> = { value: copyOf(value) };
  for (let count = 0; count < times; count++)
    mutateAt(random.pickAny(placesOf(root)) ?? { holder: root, key: "value" }, random);
  return root.value;
}

function placesOf(holder: object): Place[] {
  const places: Place[] = [];
  const waiting: Record<string, unknown>[] = [holder as Record<string, unknown>];
  for (let next = waiting.pop(); next && places.length < 500; next = waiting.pop()) {
    for (const key of Object.keys(next)) {
      places.push({ holder: next, key });
      const inner = next[key];
      if (typeof inner === "object" && inner !== null) waiting.push(inner as Record<string, unknown>);
    }
  }
  return places;
}

function mutateAt({ holder, key }: Place, random: Random): void {
  const old = holder[key];
  switch (random.below(8)) {
    case 0:
      set(holder, key, random.pick(hostileValues));
      return;
    case 1:
      set(holder, key, random.pick(hostileTexts));
      return;
    case 2:
      delete holder[key];
      return;
    case 3:
      delete holder[key];
      set(holder, random.pick(memberNames), old);
      return;
    case 4:
      if (typeof old === "object" && old !== null) set(old, random.pick(memberNames), random.pick(hostileValues));
      else set(holder, random.pick(memberNames), random.pick(hostileValues));
      return;
    case 5:
      set(holder, key, nest(old, 1 + random.below(random.chance(0.02) ? 1_500 : 40), random));
      return;
    case 6:
      set(holder, key, Array(1 + random.below(random.chance(0.02) ? 500 : 10)).fill(old));
      return;
    default:
      set(holder, key, typeof old === "string" ? mutateText(old, random) : textOf(old));
  }
}

/** Defines the member instead of assigning it, because its name may be `__proto__`. */
function set(holder: object, key: string, value: unknown): void {
  // A copy, because later mutations must not change the dictionary or create a cycle.
  const copy = copyOf(value);
  Object.defineProperty(holder, key, { value: copy, enumerable: true, configurable: true, writable: true });
}

/** Returns a copy, or null for a value that is nested too deep. */
function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return null;
  }
}

function nest(value: unknown, levels: number, random: Random): unknown {
  const isArray = random.chance(0.5);
  let nested = value;
  for (let level = 0; level < levels; level++) nested = isArray ? [nested] : { a: nested };
  return nested;
}

export function mutateText(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const end = Math.min(text.length, at + random.below(8));
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at) + text.slice(end);
    case 1:
      return text.slice(0, at) + text.slice(at, end).repeat(1 + random.below(20)) + text.slice(end);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.below(random.chance(0.5) ? 128 : 65_536)) + text.slice(end);
    default:
      return text.slice(0, at) + random.pick(hostileTexts) + text.slice(end);
  }
}

/** Returns JSON text. In rare cases it is invalid, has a duplicate member, or has surrounding space. */
export function toHostileJson(value: unknown, random: Random): string {
  const text = textOf(value);
  if (random.chance(0.9)) return text;
  if (random.chance(0.3)) return text.replace("{", '{"id":1,"id":"2",');
  if (random.chance(0.3)) return ` \t${text}\n`;
  return mutateText(text, random);
}

/** Returns JSON text, or the text of null for a value that is nested too deep. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "null";
  }
}
