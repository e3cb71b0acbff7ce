// Takes secrets out of what is logged or shown: those that the configuration names, and what looks like one.
import { hidden, hideSecrets, isSecretMember, longestFirst } from "@lethe/probe";
import { isJsonObject } from "@lethe/protocol";

export interface Redactor {
  text(text: string): string;
  /** A copy of a JSON value, with long texts cut and secrets masked. */
  value(value: unknown): unknown;
}

/** Beyond it a text is cut, and a nested value left out. */
const maxText = 4_096;
const maxDepth = 12;

export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = longestFirst(secrets);
  const text = (given: string): string => hideSecrets(given, known);

  function value(given: unknown, depth: number): unknown {
    if (typeof given === "string") return cut(text(given));
    if (typeof given !== "object" || given === null) return given;
    if (depth >= maxDepth) return "…";
    if (Array.isArray(given)) return given.map((item) => value(item, depth + 1));
    if (!isJsonObject(given)) return String(given);
    const pairs = Object.entries(given).map(([name, item]) => {
      const isSecret = isSecretMember(name) && (typeof item === "string" || typeof item === "number");
      return [name, isSecret ? hidden : value(item, depth + 1)] as const;
    });
    return Object.fromEntries(pairs);
  }

  /** After masking: a part of a secret would not be known as one. */
  function cut(masked: string): string {
    return masked.length > maxText ? `${masked.slice(0, maxText)}…` : masked;
  }

  return { text, value: (given) => value(given, 0) };
}
