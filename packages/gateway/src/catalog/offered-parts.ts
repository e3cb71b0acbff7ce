// The parts of a merged catalog, one per upstream. Unchanged lists are not prepared again.
import { declaresTasks, type Prompt, type Tool, withTaskSupport } from "@lethe/protocol";
import type { CatalogPart, CatalogRules } from "./catalog-part.ts";
import type { NameSpaces } from "./name-spaces.ts";
import { type OfferedNames, toOfferedNames } from "./offered-names.ts";
import { OfferedResources } from "./offered-resources.ts";
import { isUiUri, qualifyUri } from "./public-uris.ts";
import type { Route, ToolRoute } from "./route.ts";
import { factsOf } from "./tool-facts.ts";
import { withPublicReferences } from "./ui-references.ts";

export interface OfferedPart {
  readonly tools: OfferedNames<Tool, ToolRoute>;
  readonly prompts: OfferedNames<Prompt, Route>;
  readonly resources: OfferedResources;
}

export interface OfferContext {
  readonly spaces: NameSpaces;
  readonly isMerged: boolean;
  /** Whether several upstreams may have the same name or URI. */
  readonly isContested: boolean;
}

interface Prepared extends OfferedPart {
  readonly rules: CatalogRules;
  readonly versions: CatalogPart["catalog"]["versions"];
  readonly context: OfferContext;
  readonly canBeTasks: boolean;
}

export class OfferedParts {
  #prepared: ReadonlyMap<string, Prepared> = new Map();

  update(parts: readonly CatalogPart[], context: OfferContext): readonly OfferedPart[] {
    const prepared = parts.map((part) => prepare(part, context, this.#prepared.get(part.catalog.upstream)));
    this.#prepared = new Map(prepared.map((one, index) => [parts[index]?.catalog.upstream ?? "", one]));
    return prepared;
  }
}

/** The tools do not say whether they run as tasks. Any of them can, for a client of 2025-11-25 that requests one. */
export function leavesTasksOpen(part: CatalogPart): boolean {
  const { relaysTasks = true } = part.rules;
  return makesTasks(part) || (relaysTasks && declaresTasks(part.catalog.discover.capabilities));
}

/** The gateway creates tasks from calls to an upstream without tasks. */
function makesTasks({ catalog, rules }: CatalogPart): boolean {
  return rules.makesTasks === true && !declaresTasks(catalog.discover.capabilities);
}

function prepare(part: CatalogPart, context: OfferContext, before: Prepared | undefined): Prepared {
  const { catalog, rules } = part;
  const { versions } = catalog;
  const canBeTasks = leavesTasksOpen(part);
  const { spaces, isMerged, isContested } = context;
  const isSameContext =
    before?.context.spaces === spaces &&
    before.context.isMerged === isMerged &&
    before.context.isContested === isContested;
  const known = before?.rules === rules && isSameContext ? before : undefined;
  const hasTools = known?.versions.tools === versions.tools && known.canBeTasks === canBeTasks;
  const hasPrompts = known?.versions.prompts === versions.prompts;
  const hasResources =
    known?.versions.resources === versions.resources && known.versions.templates === versions.templates;
  return {
    ...{ rules, versions, context, canBeTasks },
    tools: hasTools && known ? known.tools : prepareTools(part, context, canBeTasks),
    prompts: hasPrompts && known ? known.prompts : preparePrompts(part, context),
    resources:
      hasResources && known ? known.resources : new OfferedResources(catalog.upstream, catalog, rules.resources),
  };
}

function prepareTools(
  { catalog: { upstream, tools }, rules }: CatalogPart,
  { spaces, isMerged, isContested }: OfferContext,
  canBeTasks: boolean,
): OfferedNames<Tool, ToolRoute> {
  const toReference = (uri: string) => (isContested || isUiUri(uri) ? qualifyUri(upstream, uri) : uri);
  return toOfferedNames(
    {
      ...{ kind: "tool", upstream, prefix: rules.prefix, rule: rules.tools, items: tools },
      toOffered(tool, own) {
        const { defect, paramHeaders, isIdempotent, taskSupport } = factsOf(own);
        if (defect !== undefined) return defect;
        const extended = rules.toOfferedTool?.(tool);
        const offered = extended ?? tool;
        if (isMerged && offered._meta) offered._meta = withPublicReferences(offered._meta, toReference);
        // For clients of 2025-11-25, which request tasks only for tools that declare them.
        const isOptional = canBeTasks && taskSupport === undefined;
        return {
          item: isOptional ? withTaskSupport(offered, "optional") : offered,
          route: {
            upstream,
            name: own.name,
            paramHeaders,
            isExtended: extended !== undefined,
            isIdempotent,
            taskSupport,
          },
        };
      },
    },
    spaces,
  );
}

function preparePrompts({ catalog: { upstream, prompts }, rules }: CatalogPart, { spaces }: OfferContext) {
  return toOfferedNames<Prompt, Route>(
    {
      ...{ kind: "prompt", upstream, prefix: rules.prefix, rule: rules.prompts, items: prompts },
      toOffered: (prompt, { name }) => ({ item: prompt, route: { upstream, name } }),
    },
    spaces,
  );
}
