// Mounts a server of this process: its features become features of the mounting server, so that a call takes no extra step.
import type { Dispatch } from "@lethe/protocol";
import type { Forward } from "../features/forward.ts";
import type { LocalServer } from "./local-server.ts";
import type { MountOptions } from "./mount-options.ts";
import { createMountRules } from "./mount-rules.ts";
import { createMountedFeatures, type Definitions } from "./mounted-features.ts";

/** Throws an Error that names the mount when the server cannot be mounted, or when names collide. */
export function mountLocal(host: LocalServer, prefix: string, mounted: LocalServer, options: MountOptions): void {
  const fail = (problem: string): never => {
    throw new Error(`mount ${JSON.stringify(prefix)}: ${problem}`);
  };
  const [replaced] = mounted.replacedMethods();
  if (replaced !== undefined) fail(`the server replaces ${replaced}, which a mount cannot take over`);
  if (mounted.hasAuthenticator && !host.hasAuthenticator) {
    fail("the server authenticates its callers and the mounting server does not: pass the option auth to it");
  }
  const rules = createMountRules(prefix, options, mounted.visible);
  const features = createMountedFeatures(host.registry, rules, fail);
  const toDefinitions = mounted.hasMiddleware() ? createForwardedDefinitions(mounted, prefix) : definitionsOf;
  const update = (): void => features.update(toDefinitions(mounted));
  update();
  mounted.registry.onChange(update);
  mounted.onChange.push((change) => {
    if (change.kind !== "resource" || isMountedResource(host, change.uri)) {
      for (const listener of host.onChange) listener(change);
    }
  });
  mounted.isMounted = true;
}

function definitionsOf({ registry }: LocalServer): Definitions {
  const { tools, prompts, resources, resourceTemplates } = registry;
  return {
    tools: tools.all(),
    prompts: prompts.all(),
    resources: resources.all(),
    resourceTemplates: resourceTemplates.all(),
  };
}

function isMountedResource({ registry }: LocalServer, uri: string): boolean {
  if (registry.resources.has(uri)) return true;
  for (const { uriTemplate } of registry.resourceTemplates.all()) if (uriTemplate.match(uri)) return true;
  return false;
}

/** Definitions that send requests through the middleware of their server. */
function createForwardedDefinitions({ dispatch }: LocalServer, mount: string): (server: LocalServer) => Definitions {
  const made = new WeakMap<object, object>();
  /** The same definition each time, so that an unchanged feature is recognised. */
  const once = <D extends object>(own: D, make: () => D): D => {
    const known = (made.get(own) as D | undefined) ?? make();
    made.set(own, known);
    return known;
  };
  const to = (ownName: string, completes: boolean, hasTasks = false): Forward =>
    toForward(dispatch, {
      ...{ mount, ownName, completes, hasTasks },
    });
  return ({ registry }) => ({
    tools: [...registry.tools.all()].map((own) =>
      once(own, () => ({
        ...own,
        task: { mode: "never" },
        forward: to(own.tool.name, false, own.task.mode !== "never" || own.forward?.hasTasks === true),
      })),
    ),
    prompts: [...registry.prompts.all()].map((own) =>
      once(own, () => ({
        ...own,
        forward: to(own.prompt.name, own.completers.size > 0 || own.forward?.completes === true),
      })),
    ),
    resources: [...registry.resources.all()].map((own) =>
      once(own, () => ({ ...own, forward: to(own.resource.uri, false) })),
    ),
    resourceTemplates: [...registry.resourceTemplates.all()].map((own) =>
      once(own, () => ({
        ...own,
        forward: to(own.feature.name, own.completers.size > 0 || own.forward?.completes === true),
      })),
    ),
  });
}

function toForward(
  dispatch: Dispatch,
  forward: Pick<Forward, "mount" | "ownName" | "completes" | "hasTasks">,
): Forward {
  return { ...forward, dispatch, isLocal: true };
}
