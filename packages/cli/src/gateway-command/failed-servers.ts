// With --fail-fast, a gateway ends if one of its servers did not start.
import type { ServedGateway } from "@lethe/gateway";

/** Returns which servers did not start and why, or undefined if all did. Servers that start on demand have not been tried. */
export function toFailedServers({ view }: Pick<ServedGateway, "view">): string | undefined {
  const failed = view().upstreams.filter(({ state }) => state === "failed");
  if (failed.length === 0) return undefined;
  const [first, ...others] = failed.map(
    ({ name, reason = "it does not answer" }) => `${name} did not start: ${reason}`,
  );
  return [first, ...others.map((line) => `       ${line}`)].join("\n");
}
