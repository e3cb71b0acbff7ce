// The skills extension on the server: serves the skills of a folder as resources, and follows changes of the folder.
import { type CacheHints, checkOptions, type KnownOptions, method, nameOf } from "@lethe/protocol";
import { canonicalSkillUri, type Skill, skillsExtension } from "@lethe/protocol/skills";
import { requireCacheHints } from "./features/cache-hints.ts";
import { defining } from "./features/defining.ts";
import type { FeatureOptions } from "./features/feature.ts";
import { defaultReadCache } from "./features/resource.ts";
import type { Server } from "./server.ts";
import type { ExtensionHost, ServerExtension } from "./server-extension.ts";
import { openFolder } from "./skills/file-system.ts";
import type { SkillCatalog } from "./skills/skill-catalog.ts";
import { SkillFolder } from "./skills/skill-folder.ts";
import { SkillMethods } from "./skills/skill-methods.ts";

/** Options of `server.skills` and of the extension `skills`. */
export interface SkillsOptions extends Pick<FeatureOptions, "scopes" | "visible"> {
  /** Stands before the names in the URIs: with `acme/billing` the skill `refunds` is `skill://acme/billing/refunds`. Default: none. */
  prefix?: string;
  /** Whether changes of the folder are noticed. Default true. */
  watch?: boolean;
  /** The maximum number of skills on a page of skills/list. Default 100. */
  pageSize?: number;
  /** Cache hints of lists, entries and files. Default: 0 ms and private. */
  cache?: CacheHints;
  /** Called when a skill is left out, and with the reason. Default: `console.warn`. */
  onProblem?: (problem: string) => void;
}

const knownSkillsOptions: KnownOptions<SkillsOptions> = {
  prefix: "a string?",
  watch: true,
  pageSize: "a number?",
  cache: "an object?",
  onProblem: "a function?",
  scopes: "an array?",
  visible: "a function?",
};

/**
 * The extension Skills over a folder that contains a folder with a SKILL.md per skill. `server.skills(folder)` uses it. Skills whose SKILL.md
 * is invalid, that contain links, or that exceed 512 files or 16 MiB are left out and reported to `onProblem`. Names that begin with a dot are
 * ignored. Throws an Error that names the folder or the option that is wrong.
 *
 * @example
 * import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { createServer } from "@lethe/server";
 * import { skills } from "@lethe/server/extensions";
 *
 * const folder = await mkdtemp(join(tmpdir(), "skills-"));
 * await mkdir(join(folder, "refunds"));
 * await writeFile(join(folder, "refunds/SKILL.md"), "---\nname: refunds\ndescription: How to refund an order\n---\nAsk first.\n");
 * const server = createServer({ name: "shop", version: "1.0.0" });
 * server.use(skills(folder));
 * await server.close();
 * await rm(folder, { recursive: true });
 */
export function skills(folder: string | URL, options: SkillsOptions = {}): ServerExtension {
  checkOptions("skills", options, knownSkillsOptions);
  const { pageSize = 100, watch = true, onProblem = (problem) => console.warn(problem) } = options;
  if (typeof folder !== "string" && !((folder as unknown) instanceof URL))
    throw new Error(`skills: a folder as a path or a URL expected, got ${nameOf(folder)}`);
  if (!Number.isInteger(pageSize) || pageSize < 1)
    throw new Error(`skills: pageSize: a positive integer expected, got ${pageSize}`);
  const base = toBase(options.prefix);
  const cache = defining("skills: cache", () => requireCacheHints(options.cache ?? defaultReadCache));
  const files = openFolder(folder);
  let published: Publication | undefined;
  const source = new SkillFolder({
    ...{ files, folder, base, isWatched: watch, onProblem },
    onChange: (now, before) => published?.update(now, before),
  });
  let host: ExtensionHost | undefined;
  const methods = new SkillMethods({
    ...{ files, source, folder, cache, pageSize },
    mayRead: (uri, caller) => host?.maySeeResource(uri, caller) === true,
    isPrivate: () => host?.hidesResources() === true,
  });
  return {
    id: skillsExtension,
    settings: { directoryRead: true },
    // The extension has no declaration of clients.
    needsDeclaration: false,
    methods: {
      [method.listSkills]: ({ params }, ctx) => methods.list(params, ctx),
      [method.getSkill]: ({ params }, ctx) => methods.get(params, ctx),
      [method.readDirectory]: ({ params }, ctx) => methods.readDirectory(params, ctx),
    },
    setUp(server, given) {
      host = given;
      published = new Publication(server, { base, cache, methods, ...options, onProblem });
      return source.read();
    },
    close: () => source.close(),
  };
}

function toBase(prefix: string | undefined): string {
  if (prefix === undefined) return "skill://";
  const uri = canonicalSkillUri(`skill://${prefix}`);
  if (uri === undefined)
    throw new Error(`skills: prefix: names with slashes between them expected, got ${JSON.stringify(prefix)}`);
  return `${uri}/`;
}

interface PublicationOptions extends SkillsOptions {
  readonly base: string;
  readonly cache: CacheHints;
  readonly methods: SkillMethods;
  onProblem(problem: string): void;
}

/** The resources of skills: each SKILL.md is listed, all other files match a template. */
class Publication {
  readonly #server: Server;
  readonly #options: PublicationOptions;

  constructor(server: Server, options: PublicationOptions) {
    this.#server = server;
    this.#options = options;
    const { base, methods, cache } = options;
    server.resourceTemplate(`${base}{+path}`, {
      name: "skills",
      description: "The files of the skills of this server.",
      ...{ cache, ...this.#access },
      handler: (_, ctx) => methods.read(String(ctx.request.params.uri), ctx),
    });
  }

  update(now: SkillCatalog, before: SkillCatalog): void {
    for (const skill of before.skills) {
      const next = now.skillsByUri.get(skill.uri);
      if (!next || !isListedAlike(skill, next)) this.#server.removeResource(skill.uri);
    }
    for (const skill of now.skills) {
      const last = before.skillsByUri.get(skill.uri);
      if (!last || !isListedAlike(skill, last)) this.#list(skill);
    }
    for (const uri of changedUris(now, before)) this.#server.resourceUpdated(uri);
  }

  get #access(): Pick<FeatureOptions, "scopes" | "visible"> {
    const { scopes, visible } = this.#options;
    return { ...(scopes && { scopes }), ...(visible && { visible }) };
  }

  #list({ uri, frontmatter: { name, description } }: Skill): void {
    const { methods, cache, onProblem } = this.#options;
    const handler = methods.read.bind(methods);
    try {
      this.#server.resource(uri, { name, description, mimeType: "text/markdown", cache, ...this.#access, handler });
    } catch (error) {
      onProblem(`skills: ${(error as Error).message}`);
    }
  }
}

function isListedAlike({ frontmatter: one }: Skill, { frontmatter: other }: Skill): boolean {
  return one.name === other.name && one.description === other.description;
}

/** The files that changed or are gone, and the SKILL.md of each skill whose entry changed: its URI stands for the skill. */
function changedUris(now: SkillCatalog, before: SkillCatalog): Set<string> {
  const uris = new Set<string>();
  for (const [uri, { digest }] of before.files) if (now.files.get(uri)?.digest !== digest) uris.add(uri);
  for (const skill of before.skills) {
    if (JSON.stringify(skill) !== JSON.stringify(now.skillsByUri.get(skill.uri))) uris.add(skill.uri);
  }
  return uris;
}
