// Finds the upstream of a method that the core does not define: one of an extension, which the gateway passes on without knowing it.
import { claims } from "../../extensions/claims.ts";
import type { OfferedExtensions } from "../../extensions/offered-extensions.ts";

/** What one upstream of the endpoint offers. */
export interface Offering {
  readonly upstream: string;
  readonly offered: OfferedExtensions;
}

/**
 * Returns the upstreams that the method, or the notification, could be for. An extension whose id begins the name of the method (`com.example/reports.list`),
 * or whose name is the namespace of the method (`skills/list` of `io.modelcontextprotocol/skills`), claims it. A method that no extension
 * claims could be for every upstream with extensions.
 */
export function ownersOfMethod(name: string, offerings: readonly Offering[]): readonly string[] {
  const claiming = offerings.filter(({ offered }) => idsOf(offered).some((id) => claims(id, name)));
  const possible = claiming.length > 0 ? claiming : offerings.filter(({ offered }) => idsOf(offered).length > 0);
  return possible.map(({ upstream }) => upstream);
}

function idsOf({ extensions = {}, experimental = {} }: OfferedExtensions): string[] {
  return [...Object.keys(extensions), ...Object.keys(experimental)];
}
