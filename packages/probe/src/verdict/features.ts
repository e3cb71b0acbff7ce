// The features that a server declares in a handshake.
import { type Implementation, isJsonObject, type JsonObject, serverInfoOf } from "@lethe/protocol";
import type { Findings } from "../behaviour/findings.ts";

/** What a server declares and lists. */
export interface Features {
  readonly server?: { readonly name: string; readonly version: string };
  /** The declared capabilities of the newest era that the server speaks. */
  readonly capabilities: JsonObject;
  /** The number of entries on the first page of the requested list. */
  readonly listed?: { readonly kind: "tools" | "resources" | "prompts"; readonly count: number };
}

type Declared = Pick<Findings, "modern" | "legacy" | "listing">;

export function toFeatures(findings: Declared): Features {
  const { modern, legacy, listing } = findings;
  const info = infoOf(findings);
  const capabilities = modern.discovered?.capabilities ?? legacy.initialized?.capabilities ?? {};
  const listed = listing && toListed(listing);
  return {
    ...(info && { server: { name: info.name, version: info.version } }),
    capabilities: { ...capabilities },
    ...(listed && { listed }),
  };
}

/** Returns the name and version that the server declares. */
export function infoOf({ modern, legacy }: Declared): Implementation | undefined {
  return (modern.discovered && serverInfoOf(modern.discovered)) ?? legacy.initialized?.serverInfo;
}

function toListed(listing: JsonObject): Features["listed"] | undefined {
  for (const kind of ["tools", "resources", "prompts"] as const) {
    const entries = listing[kind];
    if (Array.isArray(entries)) return { kind, count: entries.length };
  }
  return undefined;
}

/** Describes features as text: "12 tools", "resources (subscribe)", "logging". */
export function toFeatureWords({ capabilities, listed }: Features): string[] {
  return Object.entries(capabilities).flatMap(([name, value]) => {
    if (name === "extensions" && isJsonObject(value)) return Object.keys(value);
    if (!isJsonObject(value)) return [];
    const flags = Object.keys(value).filter((flag) => value[flag] === true || isJsonObject(value[flag]));
    const title = listed?.kind === name ? toCount(listed) : name;
    return [flags.length > 0 ? `${title} (${flags.join(", ")})` : title];
  });
}

function toCount({ kind, count }: NonNullable<Features["listed"]>): string {
  return `${count} ${count === 1 ? kind.slice(0, -1) : kind}`;
}
