// Reads a block of settings that are whole numbers, and nothing else; those whose names end in "Ms" are times.
import type { Section } from "./section.ts";

/** `least` names every setting there is, with the least that it may be. */
export function readNumbers<T extends { readonly [K in keyof T]?: number }>(
  section: Section | undefined,
  least: { readonly [K in keyof T]-?: number },
): T | undefined {
  if (!section) return undefined;
  const numbers: Record<string, number> = {};
  for (const [name, min] of Object.entries<number>(least)) {
    const number = name.endsWith("Ms") ? section.milliseconds(name, min) : section.whole(name, min);
    if (number !== undefined) numbers[name] = number;
  }
  section.rejectOthers();
  return numbers as T;
}
