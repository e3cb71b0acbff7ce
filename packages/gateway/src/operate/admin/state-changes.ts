// What changed in the state of the gateway since it was last read, as events for the administration's event stream.
import type { GatewayView, UpstreamView } from "../observe/gateway-view.ts";
import type { ChangedEvent } from "./api/events.ts";
import type { Overview } from "./api/overview.ts";
import type { Upstream } from "./api/upstreams.ts";

export interface StateChange {
  readonly event: "state" | "upstreams" | "changed";
  readonly data: unknown;
}

export interface AdminState {
  readonly overview: Overview;
  readonly view: GatewayView;
  /** Adds the traffic of the last minute. */
  withRecent(upstream: UpstreamView): Upstream;
}

type Resource = ChangedEvent["resources"][number];

/** A gateway may have a thousand upstreams, so only those that changed are sent. */
export class StateChanges {
  readonly #state: () => AdminState;
  #overview = "";
  #upstreams = new Map<string, string>();
  #lists = new Map<Resource, string>();

  constructor(state: () => AdminState) {
    this.#state = state;
  }

  /** The whole state, and the changes since the last call. `whole` is built when it is needed. */
  read(): { whole(): readonly StateChange[]; readonly changes: readonly StateChange[] } {
    const { overview, view, withRecent } = this.#state();
    const texts = new Map(view.upstreams.map((upstream) => [upstream.name, JSON.stringify(upstream)]));
    const changed = view.upstreams.filter(({ name }) => this.#upstreams.get(name) !== texts.get(name));
    const removed = [...this.#upstreams.keys()].filter((name) => !texts.has(name));
    const overviewText = JSON.stringify(overview, withoutAges);
    const resources = this.#changedLists(view);
    const changes: readonly StateChange[] = [
      ...(overviewText === this.#overview ? [] : [{ event: "state", data: overview } as const]),
      ...(changed.length + removed.length === 0 ? [] : [toUpstreams(changed.map(withRecent), removed)]),
      ...(resources.length === 0 ? [] : [{ event: "changed", data: { resources } } as const]),
    ];
    this.#overview = overviewText;
    this.#upstreams = texts;
    const whole = () => [{ event: "state", data: overview } as const, toUpstreams(view.upstreams.map(withRecent), [])];
    return { whole, changes };
  }

  #changedLists({ sessions, pendingCalls, tasks }: GatewayView): Resource[] {
    const now: [Resource, string][] = [
      ["sessions", sessions.map(({ id, isEnding }) => `${id}${isEnding}`).join()],
      ["pending-calls", pendingCalls.map(({ id }) => id).join()],
      ["tasks", tasks.map(({ id, updated }) => `${id}${updated}`).join()],
    ];
    const changed = now.filter(([name, text]) => (this.#lists.get(name) ?? text) !== text).map(([name]) => name);
    this.#lists = new Map(now);
    return changed;
  }
}

function toUpstreams(upstreams: readonly Upstream[], removed: readonly string[]): StateChange {
  return { event: "upstreams", data: { upstreams, removed } };
}

/** These change always. */
function withoutAges(name: string, value: unknown): unknown {
  return name === "leaseAgeMs" || name === "upSeconds" ? undefined : value;
}
