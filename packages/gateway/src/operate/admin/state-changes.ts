// What changed in the state of the gateway since it was last read, as events for the administration's event stream.
import type { UpstreamView } from "../observe/gateway-view.ts";

export interface StateChange {
  readonly event: "state" | "upstreams";
  readonly data: unknown;
}

export interface AdminState {
  /** As `GET /admin` answers it. */
  readonly summary: object;
  readonly upstreams: readonly UpstreamView[];
}

/** A gateway may have a thousand upstreams, so only those that changed are sent. */
export class StateChanges {
  readonly #state: () => AdminState;
  #summary = "";
  #upstreams = new Map<string, string>();

  constructor(state: () => AdminState) {
    this.#state = state;
  }

  /** The whole state, and the changes since the last call. */
  read(): { readonly whole: readonly StateChange[]; readonly changes: readonly StateChange[] } {
    const { summary, upstreams } = this.#state();
    const texts = new Map(upstreams.map((upstream) => [upstream.name, JSON.stringify(upstream)]));
    const changed = upstreams.filter(({ name }) => this.#upstreams.get(name) !== texts.get(name));
    const removed = [...this.#upstreams.keys()].filter((name) => !texts.has(name));
    const summaryText = JSON.stringify(summary, withoutAges);
    const changes = [
      ...(summaryText === this.#summary ? [] : [toState(summary)]),
      ...(changed.length + removed.length === 0 ? [] : [toUpstreams(changed, removed)]),
    ];
    this.#summary = summaryText;
    this.#upstreams = texts;
    return { whole: [toState(summary), toUpstreams(upstreams, [])], changes };
  }
}

function toState(summary: object): StateChange {
  return { event: "state", data: summary };
}

function toUpstreams(upstreams: readonly UpstreamView[], removed: readonly string[]): StateChange {
  return { event: "upstreams", data: { upstreams, removed } };
}

/** An age changes always. */
function withoutAges(name: string, value: unknown): unknown {
  return name === "leaseAgeMs" ? undefined : value;
}
