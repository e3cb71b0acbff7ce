// Skills on the client, for hosts: lists the skills of a server, and reads their files verified against their entries.
import {
  type BlobResourceContents,
  isJsonObject,
  type JsonObject,
  method,
  type Resource,
  type Result,
  type TextResourceContents,
} from "@lethe/protocol";
import {
  canonicalSkillUri,
  frontmatterDifference,
  parseSkill,
  readSkillMarkdown,
  type Skill,
  skillDigestOf,
  skillRootOf,
  skillsExtension,
} from "@lethe/protocol/skills";
import type { Client } from "../connect/client.ts";
import type { ClientExtension } from "../connect/client-extension.ts";

/** A file of a skill. */
export interface SkillFile {
  /** The URI of the file, as the entry spells it. */
  readonly uri: string;
  readonly mimeType: string | undefined;
  /** The bytes that the digest covers. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes as text. Undefined for bytes that are not UTF-8. */
  readonly text: string | undefined;
  /** Whether size and digest were checked. False only for a skill whose `resources` is "dynamic". */
  readonly isVerified: boolean;
  /** Only of SKILL.md: the Markdown after the YAML, which equals the `frontmatter` of the entry. */
  readonly body?: string;
}

/**
 * A skill file is not what its entry states. Do not use it: get the entry again with `get`, and ask the user again.
 *
 * @example
 * import { SkillVerificationError } from "@lethe/client/extensions";
 *
 * const error = new SkillVerificationError("size", "skill://refunds/SKILL.md", "10 bytes expected, got 12");
 * console.log(error.reason); // size
 */
export class SkillVerificationError extends Error {
  /** What differs from the entry. "unlisted": the entry has no such file. */
  readonly reason: "unlisted" | "size" | "digest" | "frontmatter";
  /** The file. */
  readonly uri: string;

  /** Created by `read`. */
  constructor(reason: SkillVerificationError["reason"], uri: string, message: string) {
    super(`skill file ${uri}: ${message}`);
    this.name = "SkillVerificationError";
    this.reason = reason;
    this.uri = uri;
  }
}

/** The calls of the extension Skills: `client.extension(…)`. They reject with an Error for a server without skills. */
export interface SkillsApi {
  /** Returns the skills that the server lists. A server may have more: `get` finds them by URI. No file is read. */
  list(): Promise<Skill[]>;
  /** Returns the skill with this SKILL.md, listed or not. */
  get(uri: string): Promise<Skill>;
  /**
   * Reads a file of a skill: SKILL.md, or `file`, a path relative to the folder of the skill. Rejects with SkillVerificationError if the file is
   * not listed in the entry, or differs from it. Its text comes from the server: show its origin to the model, and run nothing of it without
   * the consent of the user.
   */
  read(skill: Skill, file?: string): Promise<SkillFile>;
  /** Returns the direct children of a directory of a skill, on servers that declare `directoryRead`. */
  readDirectory(uri: string): Promise<Resource[]>;
}

/** The maximum number of pages of a list that are read. */
const maxPages = 1_000;

/**
 * The extension Skills, for hosts whose models use skills of servers. Calls check every entry and every file by the rules of the extension.
 *
 * @example
 * import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { skills } from "@lethe/client/extensions";
 * import { connect } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const folder = await mkdtemp(join(tmpdir(), "skills-"));
 * await mkdir(join(folder, "refunds"));
 * await writeFile(join(folder, "refunds/SKILL.md"), "---\nname: refunds\ndescription: How to refund an order\n---\nAsk first.");
 * const serving = await serve(createServer({ name: "shop", version: "1.0.0" }).skills(folder), { port: 0 });
 *
 * const known = skills();
 * const client = await connect(serving.url, { extensions: [known] });
 * const [refunds] = await client.extension(known).list();
 * const file = refunds && (await client.extension(known).read(refunds));
 * console.log(file?.body); // Ask first.
 * await client.close();
 * await serving.close();
 * await rm(folder, { recursive: true });
 */
export function skills(): ClientExtension<SkillsApi> {
  return { id: skillsExtension, api: (client) => new SkillsOfServer(client) };
}

class SkillsOfServer implements SkillsApi {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async list(): Promise<Skill[]> {
    const entries = await this.#readPages(method.listSkills, {}, "skills");
    const skills = entries.map((entry) => toSkill(entry, method.listSkills));
    const uris = new Set(skills.map(({ uri }) => canonicalSkillUri(uri)));
    if (uris.size < skills.length) throw new Error(`${method.listSkills}: a skill is listed twice`);
    return skills;
  }

  async get(uri: string): Promise<Skill> {
    this.#require(method.getSkill);
    const { skill: entry } = await this.#client.request(method.getSkill, { uri });
    const skill = toSkill(entry, method.getSkill);
    if (canonicalSkillUri(skill.uri) !== canonicalSkillUri(uri))
      throw new Error(`${method.getSkill}: the skill ${uri} expected, got ${skill.uri}`);
    return skill;
  }

  async read(skill: Skill, file?: string): Promise<SkillFile> {
    this.#require(method.readResource);
    const own = toSkill(skill, "read");
    const { uri, listed, isOwnFile } = find(own, file);
    const { contents } = await this.#client.readResource(uri);
    const content = contents.find((one) => canonicalSkillUri(one.uri) === canonicalSkillUri(uri));
    if (!content) throw new Error(`${method.readResource}: the contents of ${uri} expected`);
    const bytes = toBytes(content);
    if (listed && bytes.length !== listed.size)
      throw new SkillVerificationError("size", uri, `${listed.size} bytes expected, got ${bytes.length}`);
    if (listed && (await skillDigestOf(bytes)) !== listed.digest)
      throw new SkillVerificationError("digest", uri, "its digest differs from that of the entry");
    const text = "text" in content ? content.text : toText(bytes);
    const read = { uri, mimeType: content.mimeType, bytes, text, isVerified: listed !== undefined };
    return isOwnFile ? { ...read, body: await readBody(own, text) } : read;
  }

  async readDirectory(uri: string): Promise<Resource[]> {
    const { directoryRead } = this.#require(method.readDirectory);
    if (directoryRead !== true) throw new Error(`${method.readDirectory}: the server does not declare "directoryRead"`);
    const children = await this.#readPages(method.readDirectory, { uri }, "resources");
    return children.filter((child): child is JsonObject & Resource => {
      return isJsonObject(child) && typeof child.uri === "string" && typeof child.name === "string";
    });
  }

  /** Returns the settings of the extension at the server. Throws an Error if it has none. */
  #require(called: string): JsonObject {
    const settings: unknown = this.#client.server.capabilities.extensions?.[skillsExtension];
    if (!isJsonObject(settings)) throw new Error(`${called}: the server does not declare ${skillsExtension}`);
    return settings;
  }

  async #readPages(name: string, params: JsonObject, member: string): Promise<unknown[]> {
    this.#require(name);
    const items: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < maxPages; page += 1) {
      const result: Result = await this.#client.request(name, cursor === undefined ? params : { ...params, cursor });
      const { [member]: own, nextCursor } = result;
      if (!Array.isArray(own)) throw new Error(`${name}: an array "${member}" expected`);
      items.push(...own);
      if (nextCursor === undefined) return items;
      cursor = nextCursor;
    }
    throw new Error(`${name}: at most ${maxPages} pages expected`);
  }
}

function toSkill(entry: unknown, called: string): Skill {
  try {
    return parseSkill(entry);
  } catch (cause) {
    const uri = isJsonObject(entry) && typeof entry.uri === "string" ? ` ${entry.uri}` : "";
    throw new Error(`${called}: skill${uri}: ${(cause as Error).message}`, { cause });
  }
}

interface Found {
  readonly uri: string;
  /** Undefined for a skill without a list of files. */
  readonly listed: { readonly digest: string; readonly size: number } | undefined;
  readonly isOwnFile: boolean;
}

/** Requests only what the entry lists, however the file is spelled. */
function find(skill: Skill, file = "SKILL.md"): Found {
  const root = skillRootOf(skill.uri);
  const own = canonicalSkillUri(skill.uri);
  const wanted = file
    .split("/")
    .filter((segment) => segment !== ".")
    .join("/");
  const asked = /^[a-z][a-z0-9+.-]*:/i.test(file) ? file : `${root}/${encodePath(wanted)}`;
  const uri = canonicalSkillUri(asked);
  const listed =
    uri === undefined || skill.resources === "dynamic"
      ? undefined
      : skill.resources.find((resource) => canonicalSkillUri(resource.uri) === uri);
  const isInside = uri?.startsWith(`${canonicalSkillUri(root ?? "")}/`) === true;
  if (!isInside || (skill.resources !== "dynamic" && !listed))
    throw new SkillVerificationError("unlisted", asked, `no file of the skill ${skill.uri}`);
  return { uri: listed?.uri ?? asked, listed, isOwnFile: uri === own };
}

/** A path may be percent-encoded already, as links in Markdown are. */
function encodePath(path: string): string {
  return path
    .split("/")
    .map((segment) => (/%[0-9a-f]{2}/i.test(segment) ? segment : encodeURIComponent(segment)))
    .join("/");
}

function toBytes(content: TextResourceContents | BlobResourceContents): Uint8Array<ArrayBuffer> {
  if ("text" in content) return new TextEncoder().encode(content.text);
  return Uint8Array.from(atob(content.blob), (character) => character.charCodeAt(0));
}

function toText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The YAML parser is loaded by the first skill that is read. */
async function readBody(skill: Skill, text: string | undefined): Promise<string> {
  const { parse } = await import("yaml");
  try {
    const { frontmatter, body } = readSkillMarkdown(text ?? "", parse);
    const path = frontmatterDifference(skill.frontmatter, frontmatter);
    if (path === undefined) return body;
    throw new Error(`its YAML differs from the entry at ${path}`);
  } catch (cause) {
    throw new SkillVerificationError("frontmatter", skill.uri, (cause as Error).message);
  }
}
