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
  const declared = read.isTooLong ? noExtensions : toDeclared(read);
  known.set(capabilities, declared);
  return declared;
}

/** Throws McpError -32602 for a declaration that is too long. */
export function checkDeclared(capabilities: ClientCapabilities): void {
  const { extensions, experimental } = capabilities;
  if (extensions === undefined && experimental === undefined) return;
  // Only a declaration that counts as none can be too long.
  if (declaredExtensionsOf(capabilities) !== noExtensions) return;
  const { isTooLong, passed, tried, text } = readDeclared(capabilities);
  if (!isTooLong) return;
  const limits = `at most ${maxDeclared} extensions, ${maxDeclared} experiments and ${maxDeclaredLength} characters`;
  const count = passed.length + tried.length;
  throw invalidParams(`too many client capabilities: expected ${limits}, got ${count} in ${text.length} characters`);
}

type Members = readonly (readonly [string, JsonObject])[];

interface Read {
  readonly passed: Members;
  readonly tried: Members;
  readonly text: string;
  readonly isTooLong: boolean;
}

function readDeclared({ extensions, experimental }: ClientCapabilities): Read {
  const passed = pick(extensions, (id) => isExtensionId(id) && !isOwnedExtension(id));
  const tried = pick(experimental, (name) => !isOwnedExperiment(name));
  const text = JSON.stringify([passed, tried]);
  const isTooLong = passed.length > maxDeclared || tried.length > maxDeclared || text.length > maxDeclaredLength;
  return { passed, tried, text, isTooLong };
}
/** Sorted, so that the order of members makes no difference. Members that are no objects declare nothing. */
function pick(declared: unknown, isPassed: (name: string) => boolean): Members {
  if (!isJsonObject(declared)) return [];
  const members: (readonly [string, JsonObject])[] = [];
  for (const [name, settings] of Object.entries(declared)) {
    if (isJsonObject(settings) && isPassed(name)) members.push([name, toSorted(settings) as JsonObject]);
  }
  return members.sort(([one], [other]) => (one < other ? -1 : 1));
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
