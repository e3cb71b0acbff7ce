// What is a secret: what a target's owner gave to reach it, in every form in which it may come back, and what looks like one.
import { isHttpTarget, type ProbeTarget } from "./target.ts";

export const hidden = "***";

/** A shorter text is no secret, and masking it would tear holes into everything. */
const shortest = 6;

/** Header and environment values that everybody may see. */
const harmless = /^(?:true|false|development|production|application\/json|\*\/\*)$/i;

export function isSecret(value: string): boolean {
  return value.length >= shortest && !harmless.test(value);
}

/** Of a command line or a query: the names whose values nobody may see. */
const secretName = "(?:key|token|secret|passwd|password|pwd|sig|signature|auth|assertion|verifier|code)";
/** In the text of a JSON object. Exact names: `progressToken` is none. */
const secretMember =
  "(?:(?:access|refresh|id|auth|api|bearer|bot|csrf|xsrf|security|registration_access)[_-]?token|token" +
  "|(?:client|app|api|consumer|shared)?[_-]?secret(?:[_-]?(?:access)?[_-]?key)?|aws_secret_access_key" +
  "|pass(?:word|wd|phrase)|pwd|(?:api|private|access|signing)[_-]?key|credentials?|authorization|set-cookie|cookie" +
  "|code_verifier|device_code|(?:client_)?assertion)";

/** Any part of a name, where only values of secret members are lost, and not the text around them. */
const secretMemberPart =
  /passw|passphrase|pwd|secret|token|credential|authorization|cookie|assertion|(?:api|private|access|signing)[-_]?key|code[-_]?verifier|device[-_]?code|^key$/i;

/** None of them tries something unbounded from every place: 64 KiB, however they are made, take far less than a second. */
const looks = [
  // Not the parameters of a challenge: `Bearer resource_metadata="…"`.
  /(?<=\bBearer\s{1,9})(?!\w+=["\w])[\w.~+/-]{6,}=*/gi,
  // What is short or after a small letter may be a word: "basic functions".
  /(?<=\bBasic\s{1,9})(?=[\w+/]{6})[A-Za-z0-9+/]{4,}=*/g,
  /(?<=\b(?:Basic|basic|BASIC)\s{1,9})(?![A-Z]?[a-z]+\b)[A-Za-z0-9+/]{4,}=*/g,
  // JSON Web Tokens, and the keys of well-known services.
  /\beyJ[\w-]{8,4096}\.[\w-]+\.[\w-]*/g,
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|ghr|github_pat|xox[abeprs]|xapp|glpat|npm|hf|shpat|dop_v1)[-_][\w-]{12,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{10,}/g,
  /(?<=-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]+/g,
  new RegExp(`(?<=(?:^|[?&])[\\w.-]*${secretName}=)[^&\\s"#\\\\]+`, "gi"),
  // Also in JSON that is a text of other JSON, with as many backslashes as that takes.
  new RegExp(`(?<=\\\\*"${secretMember}\\\\*"\\s*:\\s*\\\\*")[^"\\\\]+`, "gi"),
  // `https://user:password@host`.
  /(?<=:\/\/)[^/@\s"]+(?=@)/g,
  /(?<=--?[\w-]*(?:key|token|secret|password)[= ])\S+/gi,
];

/** `text` without `known` secrets, and without what looks like one. Of session ids its caller takes care. */
export function hideSecrets(text: string, known: readonly string[] = []): string {
  const rest = known.reduce((left, secret) => left.replaceAll(secret, hidden), text);
  return looks.reduce((left, pattern) => left.replace(pattern, hidden), rest);
}

/** In the order in which secrets are to be hidden: one may contain another. */
export function longestFirst(secrets: Iterable<string>): string[] {
  return [...secrets].sort((one, other) => other.length - one.length);
}

/** Whether nobody may see what a member of this name holds, wherever values are shown one by one. */
export function isSecretMember(name: string): boolean {
  return secretMemberPart.test(name);
}

/** What the owner of a target gave away to reach it. Some of it may be harmless or short: see `isSecret`. */
export function secretsOf(target: ProbeTarget): string[] {
  const given = [
    ...(target.secrets ?? []),
    ...Object.values((isHttpTarget(target) ? target.headers : target.env) ?? {}),
  ];
  return [...given, ...(isHttpTarget(target) ? ofAddress(target.url) : ofArguments(target.args ?? []))];
}

/** As it may come back: alone without the word before it, in a query, in JSON. The longest first. */
export function toForms(secret: string): string[] {
  const credentials = /^\S+\s+(\S+)$/.exec(secret)?.[1];
  const plain = credentials === undefined ? [secret] : [secret, credentials];
  const forms = plain.flatMap((text) => [text, encode(text), JSON.stringify(text).slice(1, -1)]);
  return longestFirst(new Set(forms)).filter(isSecret);
}

const isSecretName = new RegExp(`${secretName}$`, "i");

function ofAddress(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, searchParams } = new URL(text);
  const queried = [...searchParams].filter(([name]) => isSecretName.test(name)).map(([, value]) => value);
  return [decode(username), decode(password), ...queried];
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `--api-key VALUE`, `--api-key=VALUE`. */
function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((word, index) => {
    const [, name = "", value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (!/(?:key|token|secret|password)$/i.test(name)) return [];
    return value ?? args[index + 1] ?? [];
  });
}
