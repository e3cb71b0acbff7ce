// What an upstream offers beyond the core: its extensions and experiments, within limits; and what an endpoint offers of them.
import { atGateway, isExtensionId, isJsonObject, type JsonObject, type ServerCapabilities } from "@lethe/protocol";
import { isOwnedExperiment, isOwnedExtension } from "./owned-extensions.ts";

export type OfferedExtensions = Pick<ServerCapabilities, "extensions" | "experimental">;

/** The maximum number of extensions, and of experiments, of one upstream. */
export const maxOffered = 64;
/** The maximum length of the settings of all extensions of one upstream, in characters of JSON. The same applies to experiments. */
const maxOfferedLength = 65_536;

/** Returns what the gateway passes on, and why it leaves out the rest. */
export function readOfferedExtensions({ extensions, experimental }: ServerCapabilities): {
  readonly offered: OfferedExtensions;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const passed = read("extensions", extensions, (id) => isExtensionId(id) && !isOwnedExtension(id), problems);
  const tried = read("experimental", experimental, (name) => !isOwnedExperiment(name), problems);
  return { offered: { ...(passed && { extensions: passed }), ...(tried && { experimental: tried }) }, problems };
}

type Settings = { [name: string]: JsonObject };

function read(
  kind: "extensions" | "experimental",
  declared: unknown,
  isPassed: (name: string) => boolean,
  problems: string[],
): Settings | undefined {
  if (!isJsonObject(declared)) return undefined;
  const members: [string, JsonObject][] = [];
  let length = 0;
  let dropped = 0;
  for (const name in declared) {
    const settings = declared[name];
    if (!isJsonObject(settings) || !isPassed(name)) continue;
    const size = members.length < maxOffered ? name.length + JSON.stringify(settings).length : maxOfferedLength + 1;
    if (length + size > maxOfferedLength) {
      dropped += 1;
      continue;
    }
    length += size;
    members.push([name, settings]);
  }
  if (dropped > 0) {
    const limits = `at most ${maxOffered} with ${maxOfferedLength} characters of settings are passed on`;
    problems.push(`${dropped} of its capabilities under "${kind}" are left out: ${limits}`);
  }
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/**
 * Returns what an endpoint offers of several upstreams. An extension that several of them offer is left out, because a request for it
 * would not say which upstream it is for, unless it adds nothing but members of lists.
 */
export function mergeExtensions(offered: readonly OfferedExtensions[]): OfferedExtensions {
  const extensions = merge(
    offered.map((one) => one.extensions),
    (id) => atGateway(id) === "merges",
  );
  const experimental = merge(
    offered.map((one) => one.experimental as Settings | undefined),
    () => false,
  );
  return { ...(extensions && { extensions }), ...(experimental && { experimental }) };
}

function merge(all: readonly (Settings | undefined)[], isMergeable: (name: string) => boolean): Settings | undefined {
  const byName = new Map<string, JsonObject[]>();
  for (const one of all) {
    for (const [name, settings] of Object.entries(one ?? {})) {
      const same = byName.get(name);
      if (same) same.push(settings);
      else byName.set(name, [settings]);
    }
  }
  const members = [...byName].flatMap(([name, settings]) =>
    settings.length === 1 || isMergeable(name) ? [[name, common(settings)] as const] : [],
  );
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The members that all settings have with the same value. */
function common([first = {}, ...others]: readonly JsonObject[]): JsonObject {
  if (others.length === 0) return first;
  const isShared = ([name, value]: [string, unknown]) => {
    const text = JSON.stringify(value);
    return others.every((other) => Object.hasOwn(other, name) && JSON.stringify(other[name]) === text);
  };
  return Object.fromEntries(Object.entries(first).filter(isShared));
}
