// One upstream's part of a merged catalog: its lists, and the rules under which the operator offers them.
import type { Tool } from "@lethe/protocol";
import type { NameRule } from "./exposure.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";
import type { UriRule } from "./uri-rule.ts";

/** The rules under which the lists of one upstream are offered. */
export interface CatalogRules {
  /** The prefix of tool and prompt names. "" for none. */
  prefix: string;
  tools: NameRule;
  prompts: NameRule;
  resources: UriRule;
  /** Adds the gateway's own arguments to a tool. Returns undefined for a tool that needs none. */
  toOfferedTool?(tool: Tool): Tool | undefined;
  /** Whether the gateway creates tasks from long calls, if the upstream has no tasks itself. */
  makesTasks?: boolean;
  /** Whether the endpoint shows the name, version and icons of this upstream, because it serves that one alone. */
  keepsIdentity?: boolean;
  /** Whether callers can access tasks that the upstream creates. Default true. */
  relaysTasks?: boolean;
  /** Whether messages of revisions later than ours are relayed. Default false. */
  relaysLaterRevisions?: boolean;
}

/** Items that could not be offered and the reasons, for the operator. */
export interface CatalogProblem {
  readonly upstream: string;
  readonly problem: string;
}

export interface CatalogPart {
  catalog: UpstreamCatalog;
  rules: CatalogRules;
}
