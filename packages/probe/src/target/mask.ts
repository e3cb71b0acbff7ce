// Masks secrets in reports: those of the user, those of servers, and text that looks like a secret.
import { hidden, hideSecrets, isSecret, secretsOf, toForms } from "./secrets.ts";
import type { ProbeTarget } from "./target.ts";

export interface Mask {
  /** Masks `secret` from now on. Session ids keep their first characters, so that readers can tell them apart. */
  add(secret: string, keptCharacters?: number): void;
  apply(text: string): string;
}

/** The session id in the URL of an HTTP+SSE endpoint. */
const sessionQuery = /(?<=[?&]session_?id=)[^&\s"'\\]+/gi;

export function createMask(target: ProbeTarget): Mask {
  const replacements = new Map<string, string>();

  function add(secret: string, keptCharacters = 0): void {
    if (!isSecret(secret)) return;
    replacements.set(secret, `${secret.slice(0, Math.min(keptCharacters, secret.length - 4))}${hidden}`);
  }

  function apply(text: string): string {
    let masked = text;
    // The longest secret comes first, because one secret may contain another.
    for (const [secret, replacement] of [...replacements].sort(([a], [b]) => b.length - a.length)) {
      masked = masked.replaceAll(secret, replacement);
    }
    return hideSecrets(masked).replace(sessionQuery, hidden);
  }

  for (const form of secretsOf(target).flatMap(toForms)) add(form);
  return { add, apply };
}
