// What differs between two configurations, with secrets masked.
import { isJsonObject } from "@lethe/protocol";
import type { Redactor } from "../observe/redact.ts";
import type { ConfigChange } from "./api/health.ts";

/** Differences that are listed. */
const maxChanges = 200;
const maxDepth = 20;

export interface Differences {
  readonly changes: readonly ConfigChange[];
  readonly omitted: number;
}

export function differencesOf(before: unknown, after: unknown, redactor: Pick<Redactor, "value">): Differences {
  const found: ConfigChange[] = [];
  walk({ before, after, path: [], found, redactor });
  return { changes: found.slice(0, maxChanges), omitted: Math.max(0, found.length - maxChanges) };
}

interface Walk {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: readonly string[];
  readonly found: ConfigChange[];
  readonly redactor: Pick<Redactor, "value">;
}

function walk({ before, after, path, found, redactor }: Walk): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  const [was, is] = [membersOf(before), membersOf(after)];
  if (was && is && path.length < maxDepth) {
    for (const name of new Set([...was.keys(), ...is.keys()])) {
      walk({ before: was.get(name), after: is.get(name), path: [...path, name], found, redactor });
    }
    return;
  }
  const name = path.at(-1) ?? "";
  found.push({
    path: path.join("."),
    ...(before !== undefined && { before: masked(name, before, redactor) }),
    ...(after !== undefined && { after: masked(name, after, redactor) }),
  });
}

/** Items of a list go by their name or id, so that an added item does not change all that follow. */
function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    return new Map(value.map((item, index) => [nameOf(item) ?? String(index), item]));
  }
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function nameOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { name, id } = item;
  if (typeof name === "string") return name;
  return typeof id === "string" ? id : undefined;
}

/** The name of a member decides whether its value is a secret. */
function masked(name: string, value: unknown, redactor: Pick<Redactor, "value">): unknown {
  return (redactor.value({ [name]: value }) as Record<string, unknown>)[name];
}
