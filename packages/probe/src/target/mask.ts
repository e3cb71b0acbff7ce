// Keeps secrets out of reports: what the user gave us, what servers gave us, and what looks like a secret anyway.
import { hidden, hideSecrets, isSecret, secretsOf, toForms } from "./secrets.ts";
import type { ProbeTarget } from "./target.ts";

export interface Mask {
  /** From now on `secret` is not printed. Session ids keep their first characters, to tell them apart. */
  add(secret: string, keptCharacters?: number): void;
  apply(text: string): string;
}

/** The session of an HTTP+SSE endpoint. */
const sessionQuery = /(?<=[?&]session_?id=)[^&\s"'\\]+/gi;

export function createMask(target: ProbeTarget): Mask {
  const replacements = new Map<string, string>();

  function add(secret: string, keptCharacters = 0): void {
    if (!isSecret(secret)) return;
    replacements.set(secret, `${secret.slice(0, Math.min(keptCharacters, secret.length - 4))}${hidden}`);
  }

  function apply(text: string): string {
    let masked = text;
    // The longest first: one secret may be a part of another.
    for (const [secret, replacement] of [...replacements].sort(([a], [b]) => b.length - a.length)) {
      masked = masked.replaceAll(secret, replacement);
    }
    return hideSecrets(masked).replace(sessionQuery, hidden);
  }

  for (const form of secretsOf(target).flatMap(toForms)) add(form);
  return { add, apply };
}
