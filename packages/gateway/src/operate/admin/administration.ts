// The administration of a running gateway: its API, its event stream, and what other replicas ask it.
import type { Dispatch } from "@lethe/protocol";
import type { Route } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/schema/settings.ts";
import type { SharedState } from "../../upstreams/directory/shared-state.ts";
import type { LogTail } from "../observe/log-tail.ts";
import { AdminApi } from "./admin-api.ts";
import { AdminEvents } from "./admin-events.ts";
import { createAdminRoutes } from "./admin-routes.ts";
import type { AdminSource } from "./answers/admin-source.ts";
import { AskReplicas, createReplicaDispatch, replicaPath } from "./ask-replicas.ts";
import { toOwnFigures } from "./figure-operations.ts";

export interface AdministrationOptions {
  readonly source: AdminSource;
  readonly logTail: LogTail;
  readonly shared: SharedState | undefined;
  readonly settings: AdminSettings | undefined;
}

export class Administration {
  readonly #source: AdminSource;
  readonly #api: AdminApi;
  readonly #events: AdminEvents;
  readonly #replicaDispatch: Dispatch;
  #routeAt: (path: string) => Route | undefined;

  constructor({ source, logTail: log, shared, settings }: AdministrationOptions) {
    this.#source = source;
    const replicas = new AskReplicas(shared);
    this.#api = new AdminApi(source, replicas);
    const { replica, exchanges, traffic, watching } = source;
    this.#events = new AdminEvents({
      ...{ replica, exchanges, log, traffic, watching, replicas },
      own: () => toOwnFigures(source),
      onFailed: (error) => source.log.error("admin.failed", `the event stream cannot send the state: ${String(error)}`),
    });
    this.#replicaDispatch = createReplicaDispatch((operation, request) => this.#api.runHere(operation, request));
    this.#routeAt = this.#createRoutes(settings);
  }

  routeAt(path: string): Route | undefined {
    return this.#routeAt(path);
  }

  /** What other replicas ask this one. */
  dispatchAt(path: string): Dispatch | undefined {
    return path === replicaPath ? this.#replicaDispatch : undefined;
  }

  /** Ends all event streams: the key may be another one now. */
  reconfigure(settings: AdminSettings | undefined): void {
    this.#routeAt = this.#createRoutes(settings);
    this.#events.restart();
  }

  /** Ends all event streams, and accepts no others. */
  close(): void {
    this.#events.close();
  }

  #createRoutes(settings: AdminSettings | undefined): (path: string) => Route | undefined {
    return createAdminRoutes({ source: this.#source, api: this.#api, events: this.#events, settings });
  }
}
