// Reads a block of whole numbers. Settings whose names end in "Ms" are times.
import type { Section } from "./section.ts";

/** `least` maps every setting to its minimum. */
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
