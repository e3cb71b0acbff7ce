// Keeps secrets out of reports: what the user gave us, what servers gave us, and what looks like a secret anyway.
import { isHttpTarget, type ProbeTarget } from "./target.ts";

export interface Mask {
  /** From now on `secret` is not printed. Session ids keep their first characters, to tell them apart. */
  add(secret: string, keptCharacters?: number): void;
  apply(text: string): string;
}

/** A shorter text is no secret, and masking it would tear holes into everything. */
const shortestSecret = 6;
const hidden = "***";

/** Header and environment values that everybody may see. */
const harmless = /^(?:true|false|development|production|application\/json|\*\/\*)$/i;

/** Tokens by their look: bearer credentials, JSON Web Tokens, the keys of well-known services. */
const tokens = [
  // Not the parameters of a challenge: `Bearer resource_metadata="…"`.
  /(?<=\bBearer\s+)(?!\w+=["\w])[\w.~+/-]{6,}=*/gi,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\b(?:sk|pk|ghp|gho|ghs|xox[abp]|glpat)[-_][\w-]{12,}/g,
];
/** The values of a query that has a secret's name; also the session of an HTTP+SSE endpoint. */
const secretQuery =
  /(?<=[?&][\w.-]*(?:key|token|secret|password|passwd|sig|signature|auth|code|session_?id)=)[^&\s"'\\]+/gi;
const userinfo = /(?<=\bhttps?:\/\/)[^/@\s"']+(?=@)/g;
/** `--api-key VALUE` and `--token=VALUE` in a command line. */
const secretFlag = /(?<=--?[\w-]*(?:key|token|secret|password)[= ])\S+/gi;

export function createMask(target: ProbeTarget): Mask {
  const replacements = new Map<string, string>();

  function add(secret: string, keptCharacters = 0): void {
    if (secret.length < shortestSecret || harmless.test(secret)) return;
    replacements.set(secret, `${secret.slice(0, Math.min(keptCharacters, secret.length - 4))}${hidden}`);
  }

  function apply(text: string): string {
    let masked = text;
    // The longest first: one secret may be a part of another.
    for (const [secret, replacement] of [...replacements].sort(([a], [b]) => b.length - a.length)) {
      masked = masked.replaceAll(secret, replacement);
    }
    for (const pattern of [...tokens, secretQuery, userinfo, secretFlag]) masked = masked.replace(pattern, hidden);
    return masked;
  }

  for (const secret of target.secrets ?? []) add(secret);
  for (const value of Object.values((isHttpTarget(target) ? target.headers : target.env) ?? {})) {
    add(value);
    // "Bearer abc" may come back as "abc".
    const credentials = /^\S+\s+(\S+)$/.exec(value)?.[1];
    if (credentials !== undefined) add(credentials);
  }
  return { add, apply };
}
