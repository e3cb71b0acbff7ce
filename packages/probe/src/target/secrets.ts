// Finds secrets: credentials of a target in every form in which a server may return them, and text that looks like a secret.
import { isHttpTarget, type ProbeTarget } from "./target.ts";

/** The text that replaces a secret. */
export const hidden = "***";

/** Shorter texts are not masked, because they occur in ordinary text. */
const shortest = 6;

/** Values of headers and environment variables that are not secret. */
const harmless = /^(?:true|false|development|production|application\/json|\*\/\*)$/i;

/** Whether a value of a header or an environment variable must be masked: it has at least 6 characters and is no common word. */
export function isSecret(value: string): boolean {
  return value.length >= shortest && !harmless.test(value);
}

/** Names of secret values in a command line or a query. */
const secretName = "(?:key|token|secret|passwd|password|pwd|sig|signature|auth|assertion|verifier|code)";
/** Names of secret members in JSON text. The names are exact, so `progressToken` does not match. */
const secretMember =
  "(?:(?:access|refresh|id|auth|api|bearer|bot|csrf|xsrf|security|registration_access)[_-]?token|token" +
  "|(?:client|app|api|consumer|shared)?[_-]?secret(?:[_-]?(?:access)?[_-]?key)?|aws_secret_access_key" +
  "|pass(?:word|wd|phrase)|pwd|(?:api|private|access|signing)[_-]?key|credentials?|authorization|set-cookie|cookie" +
  "|code_verifier|device_code|(?:client_)?assertion)";

/** Parts of names of secret members, for values that are masked one by one. */
const secretMemberPart =
  /passw|passphrase|pwd|secret|token|credential|authorization|cookie|assertion|(?:api|private|access|signing)[-_]?key|code[-_]?verifier|device[-_]?code|^key$/i;

/** What follows the name of an option or a scheme in ordinary text, as in "--token is required" and "a Bearer token". */
const plainWord =
  "(?:are|authentication|authorization|can|cannot|credentials?|header|is|may|missing|must|needs?|not|or|and|pair|realm|requires?|required|scheme|tokens?|was|with)(?=[.,;:)\"']*(?:\\s|$))";

/** No pattern repeats without bound from every position, so 64 KiB of any text take far less than a second. */
const looks = [
  // Excludes the parameters of a challenge: `Bearer resource_metadata="…"`.
  new RegExp(`(?<=\\bBearer\\s{1,9})(?!\\w+=["\\w]|${plainWord})[\\w.~+/-]{6,}=*`, "gi"),
  // Excludes ordinary words, as in "basic functions".
  /(?<=\bBasic\s{1,9})(?=[\w+/]{6})[A-Za-z0-9+/]{4,}=*/g,
  /(?<=\b(?:Basic|basic|BASIC)\s{1,9})(?![A-Z]?[a-z]+\b)[A-Za-z0-9+/]{4,}=*/g,
  // JSON Web Tokens: the search for a dot ends where another one could begin, so that no character is searched twice.
  /\beyJ(?:(?!-eyJ)[\w-]){8,4096}\.[\w-]+\.[\w-]*/g,
  // The keys of well-known services.
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|ghr|github_pat|xox[abeprs]|xapp|glpat|npm|hf|shpat|dop_v1)[-_][\w-]{12,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{10,}/g,
  /(?<=-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]+/g,
  new RegExp(`(?<=(?:^|[?&])[\\w.-]*${secretName}=)[^&\\s"#\\\\]+`, "gi"),
  // Includes JSON that is nested as a string, with any number of backslashes.
  new RegExp(`(?<=\\\\*"${secretMember}\\\\*"\\s*:\\s*\\\\*")[^"\\\\]+`, "gi"),
  // `https://user:password@host`, also with a password that has an "@" of its own.
  /(?<=:\/\/)[^/\s"]+(?=@)/g,
  /(?<=--?[\w-]*(?:key|token|secret|password)=)\S+/gi,
  // Before a space, the dash begins a word: a "public-key file" is ordinary text.
  new RegExp(`(?<=(?<!\\w)--?[\\w-]*(?:key|token|secret|password) )(?!${plainWord})\\S+`, "gi"),
];

/** Masks `known` secrets, and text that looks like a secret. Callers mask session ids themselves. */
export function hideSecrets(text: string, known: readonly string[] = []): string {
  const rest = known.reduce((left, secret) => left.replaceAll(secret, hidden), text);
  return looks.reduce((left, pattern) => left.replace(pattern, hidden), rest);
}

/** Sorts secrets in the order in which they must be masked, because one may contain another. */
export function longestFirst(secrets: Iterable<string>): string[] {
  return [...secrets].sort((one, other) => other.length - one.length);
}

/** True if the value of a member with this name must be masked where values are shown one by one. */
export function isSecretMember(name: string): boolean {
  return secretMemberPart.test(name);
}

/** The credentials of a target. Some may be harmless or short: see `isSecret`. */
export function secretsOf(target: ProbeTarget): string[] {
  const given = [
    ...(target.secrets ?? []),
    ...Object.values((isHttpTarget(target) ? target.headers : target.env) ?? {}),
  ];
  return [...given, ...(isHttpTarget(target) ? ofAddress(target.url) : ofArguments(target.args ?? []))];
}

/** The forms in which a secret may appear: without its scheme, in a query, in JSON. The longest form comes first. */
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
