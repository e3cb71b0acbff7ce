// Options of the process that listens. It reads them once, so a change needs a new start of the command.
import type { LoadedServer } from "../channel/runner-messages.ts";

/** The options as text, by name. */
export function fixedOptionsOf({ serveOptions, legacyOptions }: LoadedServer): Record<string, string> {
  const { legacy, serve } = { legacy: legacyOptions, serve: serveOptions ?? {} };
  return Object.fromEntries([
    ...Object.entries(serve).map(([name, value]) => [`${name} of serve`, JSON.stringify(value)]),
    ...Object.entries(legacy).map(([name, value]) => [`legacy.${name} of createServer`, JSON.stringify(value)]),
  ]);
}

/** Names the options that differ: "port of serve, path of serve". Undefined if none does. */
export function toRestartNotice(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => before[name] !== now[name],
  );
  return names.length === 0 ? undefined : names.join(", ");
}
