// What changed in the state of the gateway since it was last read, as events for the administration's event stream.
import type { GatewayView, UpstreamView } from "../observe/gateway-view.ts";
import { changedLists, toListVersions } from "./answers/new-exchanges.ts";
import type { Overview } from "./api/overview.ts";
import type { ListName } from "./api/replica-question.ts";
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

/** A gateway may have a thousand upstreams, so only those that changed are sent. */
export class StateChanges {
  readonly #state: () => AdminState;
  #overview = "";
  #upstreams = new Map<string, string>();
  #lists: Readonly<Record<ListName, string>> | undefined;

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
    const lists = toListVersions(view);
    const resources = changedLists(this.#lists, lists);
    const changes: readonly StateChange[] = [
      ...(overviewText === this.#overview ? [] : [{ event: "state", data: overview } as const]),
      ...(changed.length + removed.length === 0 ? [] : [toUpstreams(changed.map(withRecent), removed)]),
      ...(resources.length === 0 ? [] : [{ event: "changed", data: { resources } } as const]),
    ];
    this.#overview = overviewText;
    this.#upstreams = texts;
    this.#lists = lists;
    const whole = () => [{ event: "state", data: overview } as const, toUpstreams(view.upstreams.map(withRecent), [])];
    return { whole, changes };
  }
}

function toUpstreams(upstreams: readonly Upstream[], removed: readonly string[]): StateChange {
  return { event: "upstreams", data: { upstreams, removed } };
}

/** These change always. */
function withoutAges(name: string, value: unknown): unknown {
  return name === "leaseAgeMs" || name === "upSeconds" ? undefined : value;
}
