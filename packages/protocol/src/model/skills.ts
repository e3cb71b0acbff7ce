// The skills extension (SEP-2640): entries of skills, their URIs, and the rules that both sides check.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** The media type of a directory. */
export const directoryMimeType = "inode/directory";

/** The maximum number of files of a skill. Every host supports skills up to it. */
export const maxSkillFiles = 512;
/** The maximum size of all files of a skill together. Every host supports skills up to it. */
export const maxSkillBytes: number = 16 * 1024 * 1024;

/** A file of a skill. */
export interface SkillResource {
  /** The URI of the file, for resources/read. */
  uri: string;
  /** The SHA-256 of the bytes of the file: `sha256:` and 64 hexadecimal digits in lower case. */
  digest: string;
  /** Bytes. */
  size: number;
}

/** What `skills/list` and `skills/get` tell of a skill. */
export interface Skill {
  /** The URI of its SKILL.md. */
  uri: string;
  /** The YAML at the beginning of its SKILL.md, as JSON. */
  frontmatter: { name: string; description: string; [member: string]: unknown };
  /** All its files, or "dynamic" if its content is generated and cannot be verified. */
  resources: SkillResource[] | "dynamic";
  _meta?: JsonObject;
}

const fileName = "/SKILL.md";
const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;
/** The Agent Skills specification sets these. */
const longestName = 64;
const longestDescription = 1_024;
const longestCompatibility = 500;

/** Whether a skill may have this name: lower-case letters, digits and single hyphens, at most 64 characters. */
function isSkillName(name: string): boolean {
  return name.length <= longestName && namePattern.test(name);
}

/** Returns the URI of the folder of a skill, without a slash at its end. Undefined if the URI is not that of a SKILL.md. */
export function skillRootOf(uri: string): string | undefined {
  return uri.endsWith(fileName) ? uri.slice(0, -fileName.length) : undefined;
}

/**
 * Returns one spelling for all equivalent ones: the scheme in lower case, each segment percent-encoded as `encodeURIComponent` does. Undefined
 * for a URI with empty segments, `.`, `..`, encoded slashes, backslashes or NUL: such a URI names no file of a skill.
 */
export function canonicalSkillUri(uri: string): string | undefined {
  const [, scheme, path] = /^([a-z][a-z0-9+.-]*):\/\/([^?#]+)$/i.exec(uri) ?? [];
  if (scheme === undefined || path === undefined) return undefined;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    const name = decode(segment);
    if (name === undefined || !isFileName(name)) return undefined;
    segments.push(encodeURIComponent(name));
  }
  return `${scheme.toLowerCase()}://${segments.join("/")}`;
}

function isFileName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Returns the entry of a skill. Throws an Error that names the first member that breaks the rules of the extension. */
export function parseSkill(value: unknown): Skill {
  if (!isJsonObject(value)) throw new Error("an object expected");
  const { uri, frontmatter, resources } = value;
  if (typeof uri !== "string") throw new Error("uri: a string expected");
  const own = canonicalSkillUri(uri);
  const root = own === undefined ? undefined : skillRootOf(own);
  if (own === undefined || root === undefined) throw new Error(`uri: the URI of a SKILL.md expected, got ${uri}`);
  checkFrontmatter(frontmatter);
  const folder = root.slice(root.lastIndexOf("/") + 1);
  if (frontmatter.name !== folder)
    throw new Error(`frontmatter.name: the name of its folder, "${folder}", expected, got "${frontmatter.name}"`);
  if (resources !== "dynamic") checkResources(resources, own, root);
  return value as unknown as Skill;
}

/** Throws an Error unless the frontmatter has a valid name and a description. */
export function checkFrontmatter(frontmatter: unknown): asserts frontmatter is Skill["frontmatter"] {
  if (!isJsonObject(frontmatter)) throw new Error("frontmatter: an object expected");
  const { name, description } = frontmatter;
  if (typeof name !== "string" || !isSkillName(name)) {
    const rule = `at most ${longestName} lower-case letters, digits and single hyphens expected`;
    throw new Error(`frontmatter.name: ${rule}, got ${JSON.stringify(name)}`);
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > longestDescription)
    throw new Error(`frontmatter.description: a text of 1 to ${longestDescription} characters expected`);
  const { compatibility = "any", metadata = {} } = frontmatter;
  if (typeof compatibility !== "string" || compatibility === "" || compatibility.length > longestCompatibility)
    throw new Error(`frontmatter.compatibility: a text of 1 to ${longestCompatibility} characters expected`);
  if (!isJsonObject(metadata) || Object.values(metadata).some((value) => typeof value !== "string"))
    throw new Error("frontmatter.metadata: a mapping to texts expected; put numbers in quotes");
}

function checkResources(resources: unknown, own: string, root: string): void {
  if (!Array.isArray(resources)) throw new Error('resources: an array or "dynamic" expected');
  if (resources.length > maxSkillFiles)
    throw new Error(`resources: at most ${maxSkillFiles} files expected, got ${resources.length}`);
  const seen = new Set<string>();
  let total = 0;
  for (const [index, resource] of resources.entries()) {
    const place = `resources[${index}]`;
    const { uri, digest, size } = isJsonObject(resource) ? resource : {};
    const canonical = typeof uri === "string" ? canonicalSkillUri(uri) : undefined;
    if (!canonical?.startsWith(`${root}/`)) throw new Error(`${place}.uri: a file below ${root} expected, got ${uri}`);
    if (seen.has(canonical)) throw new Error(`${place}.uri: ${uri} is listed twice`);
    seen.add(canonical);
    if (typeof digest !== "string" || !digestPattern.test(digest))
      throw new Error(`${place}.digest: sha256: and 64 hexadecimal digits expected`);
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
      throw new Error(`${place}.size: a number of bytes expected`);
    total += size;
  }
  if (total > maxSkillBytes) throw new Error(`resources: at most ${maxSkillBytes} bytes expected, got ${total}`);
  if (!seen.has(own)) throw new Error(`resources: an entry for ${own} expected`);
}

/** Returns the digest of bytes as entries state it. */
export async function skillDigestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  let hex = "";
  for (const byte of hash) hex += byte.toString(16).padStart(2, "0");
  return `sha256:${hex}`;
}
