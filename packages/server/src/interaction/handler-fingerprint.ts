// The fingerprint of a handler version, and which journals that version may replay.
import { incompatibleVersion, type JsonObject, type McpError } from "@lethe/protocol";
import type { Feature } from "../features/feature.ts";
import { digestOf } from "../seal/digest.ts";
import type { JournalStamp } from "./journal.ts";

/** One per tool, prompt or resource; the same on all machines that run the same code. */
export interface HandlerFingerprint {
  readonly version: string | undefined;
  readonly compatibleVersions: readonly string[];
  /** Computed on the first call. */
  text(): Promise<string>;
}

/**
 * A digest of the input schema and the declared version. A handler that requests input differently needs a new
 * version; otherwise pending calls fail at the first different request.
 */
export function createHandlerFingerprint(
  handler: Partial<Pick<Feature, "inputSchema" | "version" | "compatibleVersions">>,
): HandlerFingerprint {
  const { inputSchema, version, compatibleVersions = [] } = handler;
  const parts: [JsonObject | null, string | null] = [inputSchema ?? null, version ?? null];
  let text: Promise<string> | undefined;
  return {
    version,
    compatibleVersions,
    text() {
      text ??= digestOf(parts);
      return text;
    },
  };
}

/** Remembers one fingerprint per feature, computed when its handler first requests input. */
export function createHandlerFingerprints(): (feature: Feature) => HandlerFingerprint {
  const marks = new WeakMap<Feature, HandlerFingerprint>();
  return (feature) => {
    const known = marks.get(feature);
    if (known) return known;
    const mark = createHandlerFingerprint(feature);
    marks.set(feature, mark);
    return mark;
  };
}

/** What a journal says when this handler writes it. */
export async function stampOf(handler: HandlerFingerprint | undefined): Promise<JournalStamp> {
  const version = handler?.version;
  return { mark: (await handler?.text()) ?? "", ...(version !== undefined && { version }) };
}

/** Whether the handler wrote the journal, or an earlier version that it names as compatible. */
export async function mayReplay(
  handler: HandlerFingerprint | undefined,
  { mark, version }: JournalStamp,
): Promise<boolean> {
  if (mark === (await stampOf(handler)).mark) return true;
  return version !== undefined && handler?.compatibleVersions.includes(version) === true;
}

/** The error for a journal that the handler may not replay. Undefined when the versions do not tell the two apart. */
export function versionConflict(
  handler: HandlerFingerprint | undefined,
  { version: startedVersion }: JournalStamp,
  { code, place }: { code: number; place: string },
): McpError | undefined {
  const currentVersion = handler?.version;
  return startedVersion === currentVersion
    ? undefined
    : incompatibleVersion(code, place, { startedVersion, currentVersion });
}
