// The named endpoints of a gateway: some of its upstreams merged at `/mcp/{name}`, with a tool filter and a policy of their own.
import { createNameRule } from "../../catalog/exposure.ts";
import type { EndpointSettings } from "../../config/schema/settings.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { createPermissions } from "../policy/permissions.ts";
import { createPolicy } from "../policy/policy.ts";
import { basePath, createEndpoint, type Endpoint, type EndpointParts } from "./endpoint.ts";

export type EndpointsByName = Readonly<Record<string, EndpointSettings>>;

/** The parts that all endpoints share. */
type SharedParts = Omit<EndpointParts, "path" | "upstreams" | "isMerged" | "toolFilter" | "policy" | "successor">;

interface NamedEndpoint {
  readonly settings: EndpointSettings;
  /** Those of its upstreams that are active. Changes with the configuration. */
  readonly upstreams: Map<string, UpstreamSessions>;
  readonly endpoint: Endpoint;
}

export class NamedEndpoints {
  readonly #parts: SharedParts;
  #wanted: EndpointsByName;
  readonly #current = new Map<string, NamedEndpoint>();

  constructor(parts: SharedParts, wanted: EndpointsByName) {
    this.#parts = parts;
    this.#wanted = wanted;
  }

  get all(): readonly Endpoint[] {
    return [...this.#current.values()].map(({ endpoint }) => endpoint);
  }

  at(name: string): Endpoint | undefined {
    return this.#current.get(name)?.endpoint;
  }

  /** The endpoints of the next update. */
  plan(wanted: EndpointsByName): void {
    this.#wanted = wanted;
  }

  /**
   * Applies the planned endpoints to the upstreams that are active now. An endpoint with other settings is replaced: its streams
   * end, its running calls finish, and pending calls continue at the new one.
   */
  update(active: ReadonlyMap<string, UpstreamSessions>): void {
    const wanted = new Map(Object.entries(this.#wanted));
    for (const [name, { settings, endpoint }] of this.#current) {
      if (JSON.stringify(settings) === JSON.stringify(wanted.get(name))) continue;
      this.#current.delete(name);
      void endpoint.servable.close?.();
    }
    for (const [name, settings] of wanted) {
      const named = this.#current.get(name) ?? this.#create(name, settings);
      this.#current.set(name, named);
      named.upstreams.clear();
      const own = new Set(settings.upstreams);
      for (const [upstream, sessions] of active) if (own.has(upstream)) named.upstreams.set(upstream, sessions);
    }
  }

  endStreams(): void {
    for (const { servable } of this.all) void servable.close?.();
  }

  #create(name: string, settings: EndpointSettings): NamedEndpoint {
    const upstreams = new Map<string, UpstreamSessions>();
    const toolFilter = settings.tools && createNameRule(settings.tools);
    const policy = settings.policy && createPolicy(settings.policy);
    const allowed = createPermissions(() => policy, this.#parts);
    const endpoint: Endpoint = createEndpoint({
      ...this.#parts,
      ...{ path: `${basePath}/${name}`, upstreams, isMerged: true },
      ...(toolFilter && { toolFilter }),
      ...(policy && { policy }),
      mayCall(caller, upstream, tool) {
        if (toolFilter && toolFilter.offered(tool) === undefined) return false;
        return allowed.mayCall(caller, upstream, tool);
      },
      mayRead: allowed.mayRead,
      successor: () => {
        const now = this.#current.get(name)?.endpoint;
        return now === endpoint ? undefined : now?.servable.dispatch;
      },
    });
    return { settings, upstreams, endpoint };
  }
}
