// The methods of the skills extension, and the files of skills as resources.
import {
  type CacheHints,
  type Caller,
  expectString,
  invalidParams,
  type JsonObject,
  parsePageParams,
  type Result,
} from "@lethe/protocol";
import { canonicalSkillUri, type Skill, skillDigestOf } from "@lethe/protocol/skills";
import { toBase64 } from "../features/base64.ts";
import type { Context } from "../features/context.ts";
import type { ResourceReturn } from "../features/resource.ts";
import { type FileSystem, readRegularFile } from "./file-system.ts";
import type { SkillFile } from "./skill-catalog.ts";
import { parseSkillCursor, toSkillCursor } from "./skill-cursor.ts";
import type { SkillFolder } from "./skill-folder.ts";

export interface SkillMethodsOptions {
  readonly files: FileSystem;
  readonly source: SkillFolder;
  readonly folder: string | URL;
  readonly cache: CacheHints;
  /** The maximum number of skills on a page. */
  readonly pageSize: number;
  /** Whether a caller may see the resource of a SKILL.md. */
  mayRead(uri: string, caller: Caller | undefined): boolean;
  /** Whether callers may see different skills. */
  isPrivate(): boolean;
}

/** The maximum number of files that the skills of one page have together, unless it is a page of one skill. */
const maxPageFiles = 2_048;

export class SkillMethods {
  readonly #options: SkillMethodsOptions;

  constructor(options: SkillMethodsOptions) {
    this.#options = options;
  }

  /** What one caller gets must not be cached for others. */
  get #cache(): CacheHints {
    const { cache, isPrivate } = this.#options;
    return isPrivate() ? { ...cache, cacheScope: "private" } : cache;
  }

  /** skills/list */
  list(params: JsonObject, { caller }: Context): Result {
    const { source, pageSize } = this.#options;
    const { cursor } = parsePageParams(params);
    const after = cursor === undefined ? "" : parseSkillCursor(cursor);
    const skills: Skill[] = [];
    let files = 0;
    let isLast = true;
    for (const skill of source.current.skills) {
      if (skill.uri <= after || !this.#isShown(skill, caller)) continue;
      files += skill.resources.length;
      isLast = skills.length < pageSize && (files <= maxPageFiles || skills.length === 0);
      if (!isLast) break;
      skills.push(skill);
    }
    const last = skills.at(-1);
    return {
      ...{ resultType: "complete", skills, ...this.#cache },
      ...(!isLast && last && { nextCursor: toSkillCursor(last.uri) }),
    };
  }

  /** skills/get */
  get(params: JsonObject, { caller }: Context): Result {
    const uri = expectString(params, "uri");
    const skill = this.#options.source.current.skillsByUri.get(canonicalSkillUri(uri) ?? "");
    if (!skill || !this.#isShown(skill, caller)) throw invalidParams(`no skill is served at ${uri}`);
    return { resultType: "complete", skill, ...this.#cache };
  }

  /** resources/directory/read, whose results have one page: a skill has a bounded number of files. */
  readDirectory(params: JsonObject, { caller }: Context): Result {
    const uri = expectString(params, "uri");
    if (parsePageParams(params).cursor !== undefined) throw invalidParams("unknown cursor: a directory has one page");
    const own = canonicalSkillUri(uri) ?? "";
    const resources = this.#options.source.current.directories.get(own);
    if (!resources || !this.#isInShown(own, caller)) throw invalidParams(`${uri} is not a directory of a skill`);
    return { resultType: "complete", resources: [...resources], ...this.#cache };
  }

  /**
   * Returns a file of a skill. If the file is not as its entry states, the folder is read again first, so that a client never gets bytes that
   * it must reject.
   */
  async read(uri: string, { caller }: Context): Promise<ResourceReturn> {
    const { source } = this.#options;
    const own = canonicalSkillUri(uri) ?? "";
    if (source.current.directories.has(own) && this.#isInShown(own, caller))
      throw invalidParams(`${uri} is a directory: use resources/directory/read`);
    for (const isRetry of [false, true]) {
      if (isRetry) await source.read();
      const file = source.current.files.get(own);
      if (!file || !this.#isInShown(own, caller)) return undefined;
      const bytes = await this.#readFile(file);
      if (bytes) return toContents(uri, file, bytes);
    }
    throw new Error(`${uri} changes while it is read`);
  }

  /** Undefined if the file differs from its entry, or is gone. */
  async #readFile({ path, size, digest }: SkillFile): Promise<Uint8Array | undefined> {
    const { files, folder } = this.#options;
    try {
      const root = await files.promises.realpath(folder);
      const { bytes } = await readRegularFile(files, `${root}/${path}`, size);
      return (await skillDigestOf(bytes)) === digest ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  #isShown({ uri }: Skill, caller: Caller | undefined): boolean {
    return this.#options.mayRead(uri, caller);
  }

  /** Whether a file or directory belongs to a skill that the caller may see, or to one that contains such a skill. */
  #isInShown(uri: string, caller: Caller | undefined): boolean {
    const { skillsByUri } = this.#options.source.current;
    for (let end = uri.length; end > 0; end = uri.lastIndexOf("/", end - 1)) {
      const skill = skillsByUri.get(`${uri.slice(0, end)}/SKILL.md`);
      if (skill && this.#isShown(skill, caller)) return true;
    }
    return false;
  }
}

/** Text as it is, with a byte order mark: the digest covers every byte. */
function toContents(uri: string, { mimeType }: SkillFile, bytes: Uint8Array): ResourceReturn {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { uri, mimeType: mimeType === "application/octet-stream" ? "text/plain" : mimeType, text };
  } catch {
    return { uri, mimeType, blob: toBase64(bytes) };
  }
}
