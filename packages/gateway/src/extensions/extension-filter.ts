// Which extensions pass between callers and one upstream, by the operator's `extensions` setting.
import { type ClientCapabilities, isExtensionId, type JsonObject, type ServerCapabilities } from "@lethe/protocol";
import { createNameMatcher } from "../config/name-matcher.ts";
import type { NameFilter, UpstreamPolicy } from "../config/schema/settings.ts";
import { claims } from "./claims.ts";
import { type DeclaredExtensions, declaredExtensionsOf, noExtensions } from "./declared-extensions.ts";

export interface ExtensionFilter {
  /** True if every extension passes. */
  readonly passesAll: boolean;
  passes(id: string): boolean;
  /** Returns what the upstream learns of a caller's declaration. */
  narrow(declared: DeclaredExtensions): DeclaredExtensions;
  /** Returns the capabilities of the upstream without the extensions that do not pass. */
  offered(capabilities: ServerCapabilities): ServerCapabilities;
  /** Whether a notification of the upstream belongs to none of the declared extensions that do not pass. */
  passesNotification(name: string, declared: DeclaredExtensions): boolean;
  /** Removes the members of `_meta` that belong to an extension that does not pass. Keys of the core, which have no vendor prefix, pass. */
  narrowMeta(meta: JsonObject): void;
}

const everything: ExtensionFilter = {
  passesAll: true,
  passes: () => true,
  narrow: (declared) => declared,
  offered: (capabilities) => capabilities,
  passesNotification: () => true,
  narrowMeta() {},
};

/** The prefix of what the specification itself defines, for extensions and for the core. */
const ownPrefix = "io.modelcontextprotocol/";

const filters = new WeakMap<Pick<UpstreamPolicy, "extensions">, ExtensionFilter>();

/** Returns the same filter for the same configuration. */
export function extensionFilterOf(config: Pick<UpstreamPolicy, "extensions">): ExtensionFilter {
  const before = filters.get(config);
  if (before) return before;
  const filter = createExtensionFilter(config.extensions);
  filters.set(config, filter);
  return filter;
}

export function createExtensionFilter(filter: NameFilter | undefined): ExtensionFilter {
  if (!filter?.allow && !filter?.deny) return everything;
  const { allow, deny = [] } = filter;
  const isAllowed = allow ? createNameMatcher(allow) : () => true;
  const isDenied = createNameMatcher(deny);
  const passes = (id: string) => isAllowed(id) && !isDenied(id);
  const pick = <T>(members: { [name: string]: T } | undefined) =>
    Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => passes(name)));
  const known = new WeakMap<DeclaredExtensions, DeclaredExtensions>();

  function narrow(declared: DeclaredExtensions): DeclaredExtensions {
    if (declared === noExtensions) return declared;
    const before = known.get(declared);
    if (before) return before;
    const { extensions, experimental } = declared.capabilities;
    const passed: ClientCapabilities = {
      ...(extensions && { extensions: pick(extensions) }),
      ...(experimental && { experimental: pick(experimental) }),
    };
    const narrowed = declaredExtensionsOf(passed);
    known.set(declared, narrowed);
    return narrowed;
  }

  return {
    passesAll: false,
    passes,
    narrow,
    offered: ({ extensions, experimental, ...capabilities }) => ({
      ...capabilities,
      ...(extensions && { extensions: pick(extensions) }),
      ...(experimental && { experimental: pick(experimental) }),
    }),
    passesNotification: (name, { capabilities }) =>
      !Object.keys(capabilities.extensions ?? {}).some((id) => !passes(id) && claims(id, name)),
    narrowMeta(meta) {
      for (const key in meta) if (isExtensionId(key) && !key.startsWith(ownPrefix) && !passes(key)) delete meta[key];
    },
  };
}
