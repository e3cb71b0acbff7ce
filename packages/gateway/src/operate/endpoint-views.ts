// The endpoints of a running gateway over several upstreams, for the administration.
import type { Catalog } from "../catalog/merge-catalogs.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { AdminEndpoint } from "./admin/api/endpoints.ts";

export interface EndpointParts {
  readonly gateway: Pick<Gateway, "upstreams" | "endpointAt">;
  readonly settings: GatewaySettings;
  /** The URL of the merged endpoint on this machine. */
  readonly url: string;
}

export function toEndpointViews({ gateway, settings, url }: EndpointParts): AdminEndpoint[] {
  const base = settings.publicUrl ?? url;
  const active = gateway.upstreams.map(({ name }) => name);
  const merged: AdminEndpoint = {
    ...{ path: basePath, url: base, upstreams: active },
    ...countsOf(gateway.endpointAt(basePath)?.view.current),
    ...(settings.policy && { policy: settings.policy }),
  };
  const named = Object.entries(settings.endpoints ?? {}).map(([name, { upstreams, tools, policy }]): AdminEndpoint => {
    const path = `${basePath}/${name}`;
    const own = new Set(upstreams);
    return {
      ...{ path, url: `${base}/${name}`, name, upstreams: active.filter((upstream) => own.has(upstream)) },
      ...countsOf(gateway.endpointAt(path)?.view.current),
      ...(tools && { toolFilter: tools }),
      ...(policy && { policy }),
    };
  });
  return [merged, ...named];
}

/** The counts are 0 until the lists of the upstreams are read. */
function countsOf(catalog: Catalog | undefined): Pick<AdminEndpoint, "tools" | "prompts" | "resources"> {
  const { tools = [], prompts = [], resources = [] } = catalog ?? {};
  return { tools: tools.length, prompts: prompts.length, resources: resources.length };
}
