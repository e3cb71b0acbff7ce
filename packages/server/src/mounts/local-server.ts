// A server of this process as `mount` sees it. The server is found by its dispatch function, so that it needs no public member for it.
import type { Dispatch } from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import type { Visibility } from "../features/feature.ts";
import type { Registry } from "../features/registry.ts";
import type { Change } from "../subscriptions/change.ts";
import type { Mounts } from "./mounts.ts";

export interface LocalServer {
  readonly name: string;
  readonly dispatch: Dispatch;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly visible: Visibility | undefined;
  readonly hasAuthenticator: boolean;
  /** Whether requests must pass through its `dispatch`. */
  readonly hasMiddleware: () => boolean;
  /** The core methods that its author replaced. */
  readonly replacedMethods: () => readonly string[];
  readonly mounts: () => Mounts | undefined;
  /** Called with each change that the author announces. */
  readonly onChange: ((change: Change) => void)[];
  /** Set by its first mount. */
  isMounted: boolean;
}

const servers = new WeakMap<Dispatch, LocalServer>();

export function registerLocalServer(server: LocalServer): void {
  servers.set(server.dispatch, server);
}

/** Undefined for any other dispatch function. */
export function localServerOf(dispatch: Dispatch): LocalServer | undefined {
  return servers.get(dispatch);
}
