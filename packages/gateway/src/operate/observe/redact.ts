// Masks secrets in what is logged or shown: the configured ones, and values that look like one.
import { hidden, hideSecrets, isSecretMember } from "@lethe/probe";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { createTextMask } from "../../upstreams/connection/secret-mask.ts";
import { rememberTexts } from "./repeated-texts.ts";

export interface Redactor {
  text(text: string): string;
  /** The same for a text that is shown again and again: its masked form is remembered for a while. */
  repeatedText(text: string): string;
  /** Returns a copy of a JSON value with secrets masked and long texts cut. */
  value(value: unknown): unknown;
  /** Whether such a copy would have more characters than this, secrets included. Stops counting at the limit. */
  isLongerThan(maxLength: number, value: unknown): boolean;
}

/** Longer texts are cut, and deeper values are left out. */
const maxText = 4_096;
const maxDepth = 12;
/** Only this much of a text that will be cut is searched for secrets. */
const maxSearched = 64 * 1024;

/** The format of `createSeal`: a `requestState`, the id of a task or of a legacy session. */
const sealedTokens = /\b1\.[\w-]{1,32}\.[\w-]{64,}/g;
/** Members that hold a protocol token or a session handle in any format. */
const tokenMembers: ReadonlySet<string> = new Set(["requestState", "taskId", "gateway_session", "lethe/session"]);
const sessionHandle = /(?<=gateway_session: )[^\s(]+/g;

export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets];
  const longest = known.reduce((most, { length }) => Math.max(most, length), 0);
  const mask = createTextMask(known);
  const text = (given: string): string =>
    hideSecrets(mask(given)).replace(sealedTokens, hidden).replace(sessionHandle, hidden);

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

  /** Cuts after masking, because a part of a secret would not be recognized. */
  function shortText(given: string): string {
    const masked = text(given.length > maxSearched ? given.slice(0, maxSearched) : given);
    if (given.length > maxSearched && masked.length <= maxText + longest) return `${hidden}…`;
    // Copies the text: a slice would keep the whole text in memory.
    return masked.length > maxText ? [masked.slice(0, maxText), "…"].join("") : masked;
  }

  const repeatedText = rememberTexts(text);
  return {
    text,
    repeatedText,
    value: (given) => value(given, 0),
    isLongerThan: (max, given) => leftOf(max, given, 0) < 0,
  };
}

/** Returns how many characters are left after this value. */
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
