// The skills of a folder at one moment: their entries, their files by URI, and their directories.
import type { Resource } from "@lethe/protocol";
import {
  checkFrontmatter,
  directoryMimeType,
  maxSkillBytes,
  maxSkillFiles,
  readSkillMarkdown,
  type Skill,
  type SkillResource,
  skillDigestOf,
} from "@lethe/protocol/skills";
import { type FileStat, type FileSystem, readRegularFile } from "./file-system.ts";
import { mediaTypeOf } from "./media-type.ts";
import { foldersOf, join, readTree, type TreeFolder } from "./skill-tree.ts";
import { parseYaml } from "./yaml.ts";

/** A file of a skill. */
export interface SkillFile extends SkillResource {
  /** Relative to the folder of skills. */
  readonly path: string;
  readonly mimeType: string;
}

export interface SkillCatalog {
  /** In alphabetical order of their URIs. */
  readonly skills: readonly Skill[];
  readonly skillsByUri: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, SkillFile>;
  /** The direct children of each directory, by the URI of the directory. */
  readonly directories: ReadonlyMap<string, readonly Resource[]>;
  /** Paths relative to the folder of skills. */
  readonly folders: readonly string[];
}

export interface CatalogOptions {
  readonly files: FileSystem;
  /** The folder of skills. */
  readonly root: string;
  /** What the URIs begin with, such as `skill://acme/`. */
  readonly base: string;
  /** Digests of files that have not changed since are taken from it. */
  readonly digests: DigestCache;
  /** Called for a skill that is left out, and for the reason. */
  onProblem(path: string, reason: string): void;
}

/** The maximum number of skills below a folder. */
const maxSkills = 1_000;

export const noSkills: SkillCatalog = {
  ...{ skills: [], skillsByUri: new Map(), files: new Map(), directories: new Map(), folders: [""] },
};

/** Leaves out skills that break a rule. Rejects with an Error if the folder cannot be read. */
export async function readCatalog(options: CatalogOptions): Promise<SkillCatalog> {
  const tree = await readTree(options.files, options.root);
  if (isSkill(tree)) options.onProblem("SKILL.md", "a folder that contains a folder per skill expected");
  for (const path of linksOutside(tree)) options.onProblem(path, notServed);
  const builder = new CatalogBuilder(options);
  for (const folder of foldersOf(tree)) if (folder !== tree && isSkill(folder)) await builder.add(folder);
  return builder.build([...foldersOf(tree)].map(({ path }) => path));
}

const notServed = "links and special files are not served";

function isSkill({ files }: TreeFolder): boolean {
  return files.includes("SKILL.md");
}

/** Links beside skills, which may be meant as skills. */
function* linksOutside(folder: TreeFolder): Iterable<string> {
  for (const name of folder.others) yield join(folder.path, name);
  for (const below of folder.folders) if (!isSkill(below)) yield* linksOutside(below);
}

class CatalogBuilder {
  readonly #options: CatalogOptions;
  readonly #skills: Map<string, Skill> = new Map();
  readonly #files: Map<string, SkillFile> = new Map();
  readonly #directories: Map<string, readonly Resource[]> = new Map();

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  async add(folder: TreeFolder): Promise<void> {
    const { onProblem } = this.#options;
    try {
      if (this.#skills.size >= maxSkills) throw new Error(`at most ${maxSkills} skills expected below one folder`);
      await this.#add(folder);
    } catch (error) {
      onProblem(folder.path, (error as Error).message);
    }
  }

  build(folders: readonly string[]): SkillCatalog {
    const skills = [...this.#skills.values()].sort((one, other) => (one.uri < other.uri ? -1 : 1));
    return {
      skills,
      skillsByUri: new Map(skills.map((skill) => [skill.uri, skill])),
      files: this.#files,
      directories: this.#directories,
      folders,
    };
  }

  async #add(folder: TreeFolder): Promise<void> {
    const files = await this.#readFiles(folder);
    const uri = this.#uriOf(join(folder.path, "SKILL.md"));
    const frontmatter = await this.#readFrontmatter(folder, files.find((file) => file.uri === uri)?.digest);
    const resources = files.map(({ uri: fileUri, digest, size }) => ({ uri: fileUri, digest, size }));
    this.#skills.set(uri, { uri, frontmatter, resources });
    for (const file of files) this.#files.set(file.uri, file);
    for (const below of foldersOf(folder)) this.#directories.set(this.#uriOf(below.path), this.#childrenOf(below));
  }

  async #readFrontmatter({ path }: TreeFolder, digest: string | undefined): Promise<Skill["frontmatter"]> {
    const { files, root } = this.#options;
    const { bytes } = await readRegularFile(files, `${root}/${path}/SKILL.md`, maxSkillBytes);
    if ((await skillDigestOf(bytes)) !== digest) throw new Error("SKILL.md: it changed while it was read");
    const { frontmatter } = readSkillMarkdown(toText(bytes), await parseYaml());
    checkFrontmatter(frontmatter);
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (frontmatter.name !== name)
      throw new Error(`SKILL.md: the name of its folder, "${name}", expected as name, got "${frontmatter.name}"`);
    return frontmatter;
  }

  async #readFiles(folder: TreeFolder): Promise<SkillFile[]> {
    const paths: string[] = [];
    for (const below of foldersOf(folder)) {
      const [other] = below.others;
      if (other !== undefined) throw new Error(`${join(below.path, other)}: ${notServed}`);
      for (const name of below.files) paths.push(join(below.path, name));
      if (paths.length > maxSkillFiles) throw new Error(`at most ${maxSkillFiles} files expected`);
    }
    const files: SkillFile[] = [];
    let total = 0;
    for (const path of paths.sort()) {
      const { digest, size } = await this.#digestOf(path);
      total += size;
      if (total > maxSkillBytes) throw new Error(`files of at most ${maxSkillBytes} bytes together expected`);
      files.push({ uri: this.#uriOf(path), digest, size, path, mimeType: mediaTypeOf(path) });
    }
    return files;
  }

  async #digestOf(path: string): Promise<{ digest: string; size: number }> {
    const { files, root, digests } = this.#options;
    try {
      return await digests.digestOf(files, `${root}/${path}`);
    } catch (cause) {
      throw new Error(`${path}: ${(cause as Error).message}`, { cause });
    }
  }

  #childrenOf(folder: TreeFolder): Resource[] {
    const children = folder.folders.map(({ path }): Resource => {
      return { uri: this.#uriOf(path), name: path.slice(path.lastIndexOf("/") + 1), mimeType: directoryMimeType };
    });
    for (const name of folder.files) {
      const file = this.#files.get(this.#uriOf(join(folder.path, name)));
      if (file) children.push({ uri: file.uri, name, mimeType: file.mimeType, size: file.size });
    }
    return children;
  }

  #uriOf(path: string): string {
    return this.#options.base + path.split("/").map(encodeURIComponent).join("/");
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error("SKILL.md: UTF-8 expected", { cause });
  }
}

/** Remembers the digests of files, so that a change of one file does not read all others. */
export class DigestCache {
  #known: Map<string, { readonly stamp: string; readonly digest: string }> = new Map();
  #used: Map<string, { readonly stamp: string; readonly digest: string }> = new Map();

  async digestOf(files: FileSystem, path: string): Promise<{ digest: string; size: number }> {
    const stat = await files.promises.lstat(path);
    const known = this.#used.get(path) ?? this.#known.get(path);
    if (known?.stamp === stampOf(stat)) {
      this.#used.set(path, known);
      return { digest: known.digest, size: stat.size };
    }
    const read = await readRegularFile(files, path, maxSkillBytes);
    const digest = await skillDigestOf(read.bytes);
    this.#used.set(path, { stamp: stampOf(read.stat), digest });
    return { digest, size: read.stat.size };
  }

  /** Forgets the files that were not used since the last call. */
  sweep(): void {
    this.#known = this.#used;
    this.#used = new Map();
  }
}

function stampOf({ size, mtimeMs, ctimeMs, ino }: FileStat): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}
