// Checks the named endpoints of a configuration against its upstreams.
import { suggest } from "@lethe/protocol";
import type { EndpointSettings } from "./schema/settings.ts";
import { isUpstreamName } from "./upstream-name.ts";

export interface EndpointProblem {
  /** The path inside of `endpoints`. */
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

/** `upstreams` holds the names of all upstreams, and those of disabled ones. */
export function checkEndpoints(
  endpoints: Readonly<Record<string, EndpointSettings>>,
  upstreams: ReadonlySet<string>,
): EndpointProblem[] {
  return Object.entries(endpoints).flatMap(([name, settings]): EndpointProblem[] => {
    const problem = problemOfName(name, upstreams);
    const unknown = settings.upstreams.flatMap((upstream, index): EndpointProblem[] => {
      if (upstreams.has(upstream)) return [];
      const meant = suggest(upstream, upstreams);
      const hint = meant ? `; did you mean "${meant}"?` : "";
      return [{ path: [name, "upstreams", index], problem: `must be the name of a server, got "${upstream}"${hint}` }];
    });
    return problem === undefined ? unknown : [{ path: [name], problem }, ...unknown];
  });
}

function problemOfName(name: string, upstreams: ReadonlySet<string>): string | undefined {
  if (upstreams.has(name)) return `has the name of a server, which is at /mcp/${name}; rename the endpoint`;
  if (isUpstreamName(name)) return undefined;
  return "must have a name of at most 32 letters, digits, dots, dashes or underscores that is not server-card";
}
