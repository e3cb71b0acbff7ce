// The status of a running gateway: the operator's view, and whether it is ready for traffic.
import { signsOfKeptState } from "@lethe/probe";
import { processMemory, type Tool } from "@lethe/protocol";
import type { Catalog } from "../catalog/merge-catalogs.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { Readiness } from "../edge/health.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import type { SharedState, SharedStatus } from "../upstreams/directory/shared-state.ts";
import type { ActiveConfig } from "./active-config.ts";
import type { About } from "./admin/answers/admin-source.ts";
import type { Listening } from "./admin/api/overview.ts";
import { toGatewayView } from "./admin/view.ts";
import type { GatewayView, SharedView, UpstreamState } from "./observe/gateway-view.ts";
import type { Redactor } from "./observe/redact.ts";
import type { UpstreamLog } from "./upstream-log.ts";

/** `starting` lasts until every upstream has started or failed once, or the startup wait is over. */
export type RuntimeState = "starting" | "serving" | "draining" | "stopped";

export interface GatewayStatusOptions {
  readonly active: ActiveConfig;
  readonly gateway: Gateway;
  readonly upstreamLog: UpstreamLog;
  readonly shared: SharedState | undefined;
  /** The first characters of the id of this replica. */
  readonly replica: string;
}

export class GatewayStatus {
  readonly #options: GatewayStatusOptions;
  readonly #startedAt: number = Date.now();

  constructor(options: GatewayStatusOptions) {
    this.#options = options;
  }

  /** Returns what the gateway is doing now, with secrets masked. */
  view(): GatewayView {
    const { active, gateway, upstreamLog, shared, replica } = this.#options;
    const { upstreams, retiring, pendingCalls, tasks, problemsOf, heldCount } = gateway;
    return toGatewayView({
      ...{ upstreams, retiring, pendingCalls, tasks, problemsOf, heldCount },
      offerOf: (name) => {
        const { templates: _, ...shown } = this.offerOf(name);
        return shown;
      },
      keptStateOf: (name) => keptStateOf(this.#catalogOf(name)?.tools ?? []),
      failureOf: upstreamLog.failureOf,
      shared: shared && toSharedView(shared, { replica, redactor: active.redactor, rooms: gateway.rooms }),
      hasAuth: active.hasAuth,
      redactor: active.redactor,
    });
  }

  /** The numbers of items in the lists of an upstream. */
  offerOf(name: string): Readonly<Record<"tools" | "prompts" | "resources" | "templates", number>> {
    const { tools = [], prompts = [], resources = [], templates = [] } = this.#catalogOf(name) ?? {};
    return {
      ...{ tools: tools.length, prompts: prompts.length },
      ...{ resources: resources.length, templates: templates.length },
    };
  }

  #catalogOf(name: string): Catalog | undefined {
    return this.#options.gateway.endpointAt(`${basePath}/${name}`)?.view.current;
  }

  /** Ready means that one upstream is up, and so is every upstream that the configuration requires. */
  readiness(state: RuntimeState): Readiness {
    if (state !== "serving") return { isReady: false, state };
    const { active, shared } = this.#options;
    const { upstreams } = this.view();
    const isUp = ({ state: own }: { state: UpstreamState }) => own === "ready" || own === "idle";
    const requiredNames = new Set(
      active.read.config.upstreams.filter(({ required }) => required).map(({ name }) => name),
    );
    const isReady = upstreams.some(isUp) && upstreams.filter(({ name }) => requiredNames.has(name)).every(isUp);
    return isReady ? toSharedReadiness(shared?.status) : { isReady, state: "waiting for upstreams" };
  }

  /** What an upstream offers at its own endpoint, and the merged endpoint. */
  catalogsOf(name: string): { readonly own: Catalog; readonly merged: Catalog } | undefined {
    const own = this.#catalogOf(name);
    return own && { own, merged: this.#options.gateway.catalog.current };
  }

  about(state: RuntimeState, listening: Listening): About {
    const { active, shared } = this.#options;
    const { files, notes } = active.read;
    const { heldBytes, softBytes, hardBytes } = processMemory;
    return {
      ...{ name: gatewayInfo.name, version: gatewayInfo.version, state, listening },
      started: new Date(this.#startedAt).toISOString(),
      upSeconds: Math.round((Date.now() - this.#startedAt) / 1_000),
      features: {
        auth: active.hasAuth,
        policy: active.policy !== undefined,
        bodies: active.settings.admin?.bodies === true,
        replicas: shared !== undefined,
      },
      memory: { held: { ...processMemory.heldByKind }, heldBytes, softBytes, hardBytes },
      ...{ files, notes },
    };
  }
}

function toSharedView(
  { status }: SharedState,
  { replica, redactor, rooms }: { replica: string; redactor: Redactor; rooms: Gateway["rooms"] },
): SharedView {
  const problems = status.problems.map(({ reason, text }) => ({ reason, text: redactor.repeatedText(text) }));
  const placement = rooms && { handedOn: { ...rooms.counts }, replicasWithRoom: rooms.replicasWithRoom };
  return { replica, ...status, problems, ...(placement && { placement }) };
}

/**
 * A replica that alone lacks the shared store leaves its traffic to the others. If all replicas lack it, or it is full for all of
 * them, sending the traffic elsewhere would not help.
 */
function toSharedReadiness(status: SharedStatus | undefined): Readiness {
  if (!status) return { isReady: true, state: "ready" };
  if (status.isCutOff) return { isReady: false, state: "cut off from the shared store, which other replicas reach" };
  if (!status.isReached) return { isReady: true, state: "ready, without the shared store" };
  const reasons = status.problems.map(({ reason }) => reason).join(", ");
  return { isReady: true, state: reasons === "" ? "ready" : `ready, but the shared store has a problem: ${reasons}` };
}

const knownSigns = new WeakMap<readonly Tool[], readonly string[]>();

/** Returns signs that the tools of an upstream keep state between calls, computed once per list of tools. */
function keptStateOf(tools: readonly Tool[]): readonly string[] {
  let signs = knownSigns.get(tools);
  if (!signs) {
    signs = signsOfKeptState(tools);
    knownSigns.set(tools, signs);
  }
  return signs;
}
