// Merges many catalogs into one: public names and URIs, and the routes back to the upstreams (J-57, J-58). Only the lists of
// changed upstreams are prepared again.
import type { CacheScope, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from "@lethe/protocol";
import { laterRevisionsOf } from "../extensions/later-revisions.ts";
import type { OfferedExtensions } from "../extensions/offered-extensions.ts";
import type { CatalogPart, CatalogProblem } from "./catalog-part.ts";
import { FormerOwners } from "./former-owners.ts";
import { mergeCapabilities, mergeInstructions } from "./merge-features.ts";
import { type MergedNames, mergeNames } from "./merge-names.ts";
import { createNameSpaces, type NameSpaces } from "./name-spaces.ts";
import { leavesTasksOpen, OfferedParts } from "./offered-parts.ts";
import type { OfferedResources } from "./offered-resources.ts";
import type { Route, ToolRoute } from "./route.ts";
import { gatewayIdentity, type ServerIdentity, toServerIdentity } from "./server-identity.ts";
import { factsOf } from "./tool-facts.ts";
import { UriSpace } from "./uri-space.ts";

export interface Catalog {
  capabilities: ServerCapabilities;
  /** What each upstream offers beyond the core. */
  offerings: readonly { readonly upstream: string; readonly offered: OfferedExtensions }[];
  /** The revisions later than ours that the only upstream of the endpoint offers, and the gateway relays. Newest first. */
  laterRevisions: readonly string[];
  instructions: string | undefined;
  identity: ServerIdentity;
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
  toolRoutes: ReadonlyMap<string, ToolRoute>;
  promptRoutes: ReadonlyMap<string, Route>;
  /** Names that several upstreams offer. They lead to none of them. */
  sharedTools: ReadonlySet<string>;
  sharedPrompts: ReadonlySet<string>;
  uris: UriSpace;
  /** In ms since 1970: the earliest expiry of all parts. */
  freshUntil: number;
  cacheScope: CacheScope;
  problems: readonly CatalogProblem[];
}

export interface MergeOptions {
  /** Whether URIs are qualified. False for the endpoint of one upstream. Default true. */
  readonly isMerged?: boolean;
}

/** All upstreams of an endpoint, read or not, and their rules. */
export type Wanted = readonly { readonly name: string; readonly rules: CatalogPart["rules"] }[];

export class CatalogMerger {
  readonly #isMerged: boolean;
  readonly #former: FormerOwners = new FormerOwners();
  readonly #offered: OfferedParts = new OfferedParts();
  #spaces: NameSpaces = createNameSpaces([]);
  #tools: Cached<MergedNames<Tool, ToolRoute>> | undefined;
  #prompts: Cached<MergedNames<Prompt, Route>> | undefined;
  #uris: Cached<UriSpace> | undefined;

  constructor({ isMerged = true }: MergeOptions = {}) {
    this.#isMerged = isMerged;
  }

  merge(parts: readonly CatalogPart[], wanted: Wanted): Catalog {
    const upstreams = wanted.map(({ name }) => name);
    const spaces = createNameSpaces(wanted.map(({ rules }) => rules.prefix));
    if (spaces.key !== this.#spaces.key) this.#spaces = spaces;
    this.#former.keep(upstreams);
    // An endpoint with the identity of its only upstream also keeps its URIs.
    const isMerged = this.#isMerged && !wanted.every(({ rules }) => rules.keepsIdentity);
    const isContested = isMerged && upstreams.length > 1;
    const context = { spaces: this.#spaces, isMerged, isContested };
    const offered = this.#offered.update(parts, context);
    this.#tools = reuse(
      this.#tools,
      offered.map(({ tools }) => tools),
      [],
      (own) => mergeNames("tool", own),
    );
    this.#prompts = reuse(
      this.#prompts,
      offered.map(({ prompts }) => prompts),
      [],
      (own) => mergeNames("prompt", own),
    );
    this.#uris = reuse(
      this.#uris,
      offered.map(({ resources }) => resources),
      [isMerged, ...upstreams],
      (own) => this.#toUris(own, { upstreams, isMerged }),
    );
    const [tools, prompts, uris] = [this.#tools.made, this.#prompts.made, this.#uris.made];
    const catalogs = parts.map(({ catalog }) => catalog);
    return {
      capabilities: mergeCapabilities(catalogs, parts.some(hasTasks)),
      offerings: catalogs,
      laterRevisions: parts.flatMap(({ catalog: { discover }, rules }) =>
        rules.relaysLaterRevisions ? laterRevisionsOf(discover.supportedVersions) : [],
      ),
      instructions: mergeInstructions(catalogs),
      identity: identityOf(parts),
      ...{ tools: tools.items, toolRoutes: tools.routes, sharedTools: tools.shared },
      ...{ prompts: prompts.items, promptRoutes: prompts.routes, sharedPrompts: prompts.shared },
      ...{ resources: uris.resources, templates: uris.templates, uris },
      freshUntil: catalogs.reduce((soonest, { freshUntil }) => Math.min(soonest, freshUntil), Number.POSITIVE_INFINITY),
      cacheScope:
        catalogs.length > 0 && catalogs.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
      problems: [
        ...catalogs.flatMap(({ upstream, problems }) => problems.map((problem) => ({ upstream, problem }))),
        ...tools.problems,
        ...prompts.problems,
        ...uris.problems,
      ],
    };
  }

  #toUris(
    parts: readonly OfferedResources[],
    context: { readonly upstreams: readonly string[]; readonly isMerged: boolean },
  ): UriSpace {
    return new UriSpace({ ...context, parts, former: this.#former, before: this.#uris?.made });
  }
}

/** Merges once, without reusing earlier results. */
export function mergeCatalogs(parts: readonly CatalogPart[], options: MergeOptions = {}): Catalog {
  const wanted = parts.map(({ catalog, rules }) => ({ name: catalog.upstream, rules }));
  return new CatalogMerger(options).merge(parts, wanted);
}

interface Cached<M> {
  readonly from: readonly unknown[];
  readonly made: M;
}

/** The earlier result for the same objects. */
function reuse<P, M>(
  before: Cached<M> | undefined,
  parts: readonly P[],
  more: readonly unknown[],
  make: (parts: readonly P[]) => M,
): Cached<M> {
  const from = [...parts, ...more];
  const isSame = before?.from.length === from.length && from.every((part, index) => part === before.from[index]);
  return isSame ? before : { from, made: make(parts) };
}

function identityOf([part]: readonly CatalogPart[]): ServerIdentity {
  return part?.rules.keepsIdentity ? toServerIdentity(part.catalog.discover) : gatewayIdentity;
}

/** A caller that gets a task must be able to access it (J-61). */
function hasTasks(part: CatalogPart): boolean {
  const { relaysTasks = true } = part.rules;
  return leavesTasksOpen(part) || (relaysTasks && part.catalog.tools.some((tool) => factsOf(tool).taskSupport));
}
