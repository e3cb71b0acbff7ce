// GET /admin/v1/endpoints.
import type { NameFilter, PolicyRule } from "../../../config/schema/settings.ts";
import { component, type Described, integer, list, object, oneOf, optional, text } from "./schema.ts";

/** An endpoint over several upstreams. That of a single upstream is at `/mcp/{name}` and is not listed. */
export interface AdminEndpoint {
  readonly path: string;
  /** The URL that clients use. */
  readonly url: string;
  /** The name in `endpoints` of the configuration. Absent for the merged endpoint of all upstreams. */
  readonly name?: string;
  readonly upstreams: readonly string[];
  /** The numbers of offered items. */
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  /** Which tools of its upstreams the endpoint offers. Absent: all of them. */
  readonly toolFilter?: NameFilter;
  /** Access rules, the first of which that matches decides. Absent: every caller may use all items. */
  readonly policy?: readonly PolicyRule[];
}

export interface EndpointsAnswer {
  readonly replica: string;
  /** The merged endpoint first. */
  readonly endpoints: readonly AdminEndpoint[];
}

const rule: Described<PolicyRule> = component(
  "PolicyRule",
  object<PolicyRule>(
    {
      effect: oneOf(["allow", "deny"]),
      callers: optional(list(text(), "Patterns of caller ids")),
      scopes: optional(list(text(), "The caller must have all of these scopes")),
      methods: optional(list(text())),
      upstreams: optional(list(text())),
      tools: optional(list(text(), "Patterns of the upstream's own names of tools")),
      prompts: optional(list(text())),
      resources: optional(list(text())),
    },
    "A rule applies if all of its members match",
  ),
);

const endpoint: Described<AdminEndpoint> = component(
  "Endpoint",
  object<AdminEndpoint>(
    {
      path: text(),
      url: text("The URL that clients use"),
      name: optional(
        text("The name in `endpoints` of the configuration. Absent for the merged endpoint of all upstreams"),
      ),
      upstreams: list(text(), "The upstreams that it merges"),
      tools: integer("Offered tools"),
      prompts: integer(),
      resources: integer(),
      toolFilter: optional(
        component(
          "NameFilter",
          object<NameFilter>(
            { allow: optional(list(text())), deny: optional(list(text(), "Takes precedence over `allow`")) },
            "Patterns of the upstream's own names",
          ),
        ),
      ),
      policy: optional(
        list(rule, "The first rule that matches decides. Those of the merged endpoint apply to all others too"),
      ),
    },
    "An endpoint over several upstreams",
  ),
);

export const endpointsAnswer: Described<EndpointsAnswer> = component(
  "EndpointsAnswer",
  object<EndpointsAnswer>({ replica: text(), endpoints: list(endpoint, "The merged endpoint first") }),
);
