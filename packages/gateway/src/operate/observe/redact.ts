// Takes secrets out of what is logged or shown: those that the configuration names, and what looks like one.
import { hidden, hideSecrets, isSecretMember, longestFirst } from "@lethe/probe";
import { isJsonObject, type JsonObject } from "@lethe/protocol";

export interface Redactor {
  text(text: string): string;
  /** A copy of a JSON value, with long texts cut and secrets masked. */
  value(value: unknown): unknown;
  /** Whether such a copy would have more characters than these, secrets included; the work is bound by them as well. */
  isLongerThan(maxLength: number, value: unknown): boolean;
}

/** Beyond it a text is cut, and a nested value left out. */
const maxText = 4_096;
const maxDepth = 12;
/** So much of a text that will be cut is searched for secrets. */
const maxSearched = 64 * 1024;

/** As `createSeal` writes them: a `requestState`, the id of a task or of a legacy session. */
const sealedTokens = /\b1\.[\w-]{1,32}\.[\w-]{64,}/g;
/** Members that hold a token of the protocol, or the handle of a session, in any form. */
const tokenMembers: ReadonlySet<string> = new Set(["requestState", "taskId", "gateway_session", "lethe/session"]);
const sessionHandle = /(?<=gateway_session: )[^\s(]+/g;

export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = longestFirst(secrets);
  const longest = known[0]?.length ?? 0;
  const text = (given: string): string =>
    hideSecrets(given, known).replace(sealedTokens, hidden).replace(sessionHandle, hidden);

  function value(given: unknown, depth: number): unknown {
    if (typeof given === "string") return shortText(given);
    if (typeof given !== "object" || given === null) return given;
    if (depth >= maxDepth) return "…";
    if (Array.isArray(given)) return given.map((item) => value(item, depth + 1));
    if (!isJsonObject(given)) return String(given);
    const pairs = Object.entries(given).map(([name, item]) => {
      const isNamed = isSecretMember(name) || tokenMembers.has(name);
      const isSecret = isNamed && (typeof item === "string" || typeof item === "number");
      return [name, isSecret ? hidden : value(item, depth + 1)] as const;
    });
    return Object.fromEntries(pairs);
  }

  /** Cut after masking: a part of a secret would not be known as one. */
  function shortText(given: string): string {
    const masked = text(given.length > maxSearched ? given.slice(0, maxSearched) : given);
    if (given.length > maxSearched && masked.length <= maxText + longest) return `${hidden}…`;
    // Joined into a string of its own: a slice would keep the whole text as long as it is kept itself.
    return masked.length > maxText ? [masked.slice(0, maxText), "…"].join("") : masked;
  }

  return { text, value: (given) => value(given, 0), isLongerThan: (max, given) => leftOf(max, given, 0) < 0 };
}

/** How many characters are left when these are taken. */
function leftOf(max: number, given: unknown, depth: number): number {
  if (typeof given === "string") return max - 2 - Math.min(given.length, maxText);
  if (typeof given !== "object" || given === null || depth >= maxDepth) return max - 4;
  let left = max - 2;
  if (Array.isArray(given)) {
    for (const item of given) {
      left = leftOf(left - 1, item, depth + 1);
      if (left < 0) break;
    }
    return left;
  }
  for (const name in given) {
    left = leftOf(left - name.length - 4, (given as JsonObject)[name], depth + 1);
    if (left < 0) break;
  }
  return left;
}
