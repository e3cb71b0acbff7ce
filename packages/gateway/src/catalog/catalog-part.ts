// What one upstream brings to a catalogue: what it has, and how its operator offers that.
import type { Tool } from "@lethe/protocol";
import type { NameRule } from "./exposure.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";
import type { UriRule } from "./uri-rule.ts";

/** How the features of one upstream are offered. */
export interface CatalogRules {
  /** Stands in front of the names of tools and prompts; "" for none. */
  prefix: string;
  tools: NameRule;
  prompts: NameRule;
  resources: UriRule;
  /** Tools get whatever the gateway adds to them. Undefined for a tool that stays as it is. */
  toOfferedTool?(tool: Tool): Tool | undefined;
  /** The gateway makes tasks of long calls, where the upstream has none itself. */
  makesTasks?: boolean;
  /** The endpoint has the name, version and icons of this upstream, which it serves alone and under its own names. */
  keepsIdentity?: boolean;
  /** Default true: tasks that the upstream makes can be asked after. */
  relaysTasks?: boolean;
}

/** What could not be offered and why, for the operator. */
export interface CatalogProblem {
  readonly upstream: string;
  readonly problem: string;
}

export interface CatalogPart {
  catalog: UpstreamCatalog;
  rules: CatalogRules;
}
