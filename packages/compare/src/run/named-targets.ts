// Names the targets of a comparison, so that each recording carries the name of its target.
import { headerOf } from "../record/http-parser.ts";
import type { Recording } from "../record/recording.ts";
import type { RecordedTarget } from "./record-target.ts";
import type { Target } from "./target-transports.ts";

/** A target with the name that its recordings carry. */
export interface NamedTarget {
  /** The prefix of each column title. */
  readonly name: string;
  readonly target: Target;
}

/** Derives missing names from the URL or command, without parts that may be secret. */
export function toNamedTargets(targets: readonly (Target & { readonly name?: string })[]): NamedTarget[] {
  const names = new Map<string, number>();
  return targets.map(({ name: given, ...target }) => {
    const name = given ?? deriveName(target);
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    return { name: count === 1 ? name : `${name} (${count})`, target };
  });
}

function deriveName(target: Target): string {
  if (!("url" in target)) return target.command.replace(/^.*[/\\]/, "");
  if (!URL.canParse(target.url)) return target.url;
  const { host, pathname } = new URL(target.url);
  return host + pathname;
}

/** Prefixes ids and titles. `index` keeps the ids unique: they become file names and HTML anchors. */
export function toNamed(
  { recordings, unavailable, probes }: RecordedTarget,
  name: string,
  index: number,
): RecordedTarget {
  const title = (text: string): string => `${name}: ${text}`;
  const id = (text: string): string => `${index + 1}-${name.replace(/[^\w.-]+/g, "-").slice(0, 40)}-${text}`;
  return {
    recordings: recordings.map((one) => ({ ...one, id: id(one.id), title: title(toTitle(one)) })),
    unavailable: unavailable.map((one) => ({ ...one, id: id(one.id), title: title(one.title) })),
    probes,
  };
}

/** Adds whether a legacy Streamable HTTP server uses sessions. */
function toTitle({ id, title, exchanges }: Recording): string {
  if (id !== "legacy-http" || exchanges.length === 0) return title;
  const hasSession = exchanges.some(({ request }) => headerOf(request.headers, "mcp-session-id") !== undefined);
  return `${title}, ${hasSession ? "sessions" : "stateless"}`;
}
