// What a caller declares beyond the core: its extensions and experiments. Upstreams receive the declaration, and what they list may
// depend on it, so that lists and some sessions are kept per declaration.
import { createHash } from "node:crypto";
import { type ClientCapabilities, invalidParams, isExtensionId, isJsonObject, type JsonObject } from "@lethe/protocol";
import { isOwnedExperiment, isOwnedExtension } from "./owned-extensions.ts";

/** One declaration. Equal declarations have the same key. */
export interface DeclaredExtensions {
  /** "" for none, else a digest. */
  readonly key: string;
  readonly capabilities: Pick<ClientCapabilities, "extensions" | "experimental">;
}

export const noExtensions: DeclaredExtensions = { key: "", capabilities: {} };

/** The maximum number of extensions and of experiments that a caller may declare. */
export const maxDeclared = 64;
/** The maximum length of a declaration, in characters of JSON. */
const maxDeclaredLength = 16_384;
/** The number of recent declarations whose digests are kept. */
const maxRecent = 64;

const recent = new Map<string, DeclaredExtensions>();

const known = new WeakMap<ClientCapabilities, DeclaredExtensions>();
const tooLong = new WeakSet<ClientCapabilities>();

/**
 * Returns what the gateway passes on of a caller's declaration: without extensions that the gateway handles itself and names that
 * are no extension ids. A declaration that `checkDeclared` rejects counts as none.
 */
export function declaredExtensionsOf(capabilities: ClientCapabilities): DeclaredExtensions {
  const { extensions, experimental } = capabilities;
  if (extensions === undefined && experimental === undefined) return noExtensions;
  const before = known.get(capabilities);
  if (before) return before;
  const read = readDeclared(capabilities);
  const declared = read ? toDeclared(read) : noExtensions;
  if (!read) tooLong.add(capabilities);
  known.set(capabilities, declared);
  return declared;
}

/** Throws McpError -32602 for a declaration that is too long. */
export function checkDeclared(capabilities: ClientCapabilities): void {
  if (declaredExtensionsOf(capabilities) !== noExtensions || !tooLong.has(capabilities)) return;
  const limits = `at most ${maxDeclared} extensions, ${maxDeclared} experiments and ${maxDeclaredLength} characters`;
  throw invalidParams(`too many client capabilities: expected ${limits}`);
}

type Members = readonly (readonly [string, JsonObject])[];

interface Read {
  readonly passed: Members;
  readonly tried: Members;
  readonly text: string;
}

/** Undefined for a declaration that is too long. */
function readDeclared({ extensions, experimental }: ClientCapabilities): Read | undefined {
  const passed = pick(extensions, (id) => isExtensionId(id) && !isOwnedExtension(id));
  const tried = pick(experimental, (name) => !isOwnedExperiment(name));
  if (!passed || !tried) return undefined;
  const text = JSON.stringify([passed, tried]);
  return text.length > maxDeclaredLength ? undefined : { passed, tried, text };
}

/**
 * Sorted, so that the order of members makes no difference. Members that are no objects declare nothing. Undefined if they are too many or
 * too long, which is found before anything is sorted: a request may have hundreds of thousands of members.
 */
function pick(declared: unknown, isPassed: (name: string) => boolean): Members | undefined {
  if (!isJsonObject(declared)) return [];
  const members: [string, JsonObject][] = [];
  for (const name in declared) {
    const settings = declared[name];
    if (!isJsonObject(settings) || !isPassed(name)) continue;
    if (members.length === maxDeclared) return undefined;
    members.push([name, settings]);
  }
  if (leftAfter(members, maxDeclaredLength) < 0) return undefined;
  return members
    .map(([name, settings]) => [name, toSorted(settings) as JsonObject] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns what the JSON text of a value leaves of `max` characters, without those for commas and escapes. Stops below 0. */
function leftAfter(value: unknown, max: number): number {
  if (typeof value === "string") return max - 2 - value.length;
  if (typeof value !== "object" || value === null) return max - 1;
  let left = max - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = leftAfter(item, left);
      if (left < 0) break;
    }
    return left;
  }
  for (const name in value) {
    left = leftAfter((value as JsonObject)[name], left - 3 - name.length);
    if (left < 0) break;
  }
  return left;
}

function toSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, toSorted(value[name])]));
}

function toDeclared({ passed, tried, text }: Read): DeclaredExtensions {
  if (passed.length === 0 && tried.length === 0) return noExtensions;
  const same = recent.get(text);
  if (same) return same;
  if (recent.size >= maxRecent) recent.clear();
  const declared: DeclaredExtensions = {
    key: createHash("sha256").update(text).digest("base64url"),
    capabilities: {
      ...(passed.length > 0 && { extensions: Object.fromEntries(passed) }),
      ...(tried.length > 0 && { experimental: Object.fromEntries(tried) }),
    },
  };
  recent.set(text, declared);
  return declared;
}
