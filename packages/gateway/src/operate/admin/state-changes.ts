// What changed in the state of the gateway since it was last read, as events for the administration's event stream.
import { changedLists } from "./answers/new-exchanges.ts";
import type { ListName } from "./api/replica-question.ts";
import {
  mergeOverview,
  mergeUpstreams,
  type OtherFigures,
  type OwnFigures,
  type QuietUpstream,
  withRecent,
} from "./fleet/merge-figures.ts";

export interface StateChange {
  readonly event: "state" | "upstreams" | "changed";
  readonly data: unknown;
}

/** A gateway may have a thousand upstreams, so only those that changed are sent. */
export class StateChanges {
  readonly #own: () => OwnFigures;
  readonly #others: () => OtherFigures;
  #overview = "";
  #upstreams = new Map<string, string>();
  #lists: Readonly<Record<ListName, string>> | undefined;

  /** Of this replica, and of the others. */
  constructor(own: () => OwnFigures, others: () => OtherFigures) {
    this.#own = own;
    this.#others = others;
  }

  /** The whole state, and the changes since the last call. `whole` is built when it is needed. */
  read(): { whole(): readonly StateChange[]; readonly changes: readonly StateChange[] } {
    const own = this.#own();
    const other = this.#others();
    const upstreams = mergeUpstreams(own, other);
    const overview = mergeOverview(own, upstreams, other);
    const toEvent = (sent: readonly QuietUpstream[], removed: readonly string[]): StateChange => ({
      event: "upstreams",
      data: { upstreams: sent.map((upstream) => withRecent(upstream, own, other)), removed },
    });
    const texts = new Map(upstreams.map((upstream) => [upstream.name, JSON.stringify(upstream)]));
    const changed = upstreams.filter(({ name }) => this.#upstreams.get(name) !== texts.get(name));
    const removed = [...this.#upstreams.keys()].filter((name) => !texts.has(name));
    const overviewText = JSON.stringify(overview, withoutAges);
    const lists = own.view.versions;
    const resources = changedLists(this.#lists, lists);
    const changes: readonly StateChange[] = [
      ...(overviewText === this.#overview ? [] : [{ event: "state", data: overview } as const]),
      ...(changed.length + removed.length === 0 ? [] : [toEvent(changed, removed)]),
      ...(resources.length === 0 ? [] : [{ event: "changed", data: { resources } } as const]),
    ];
    this.#overview = overviewText;
    this.#upstreams = texts;
    this.#lists = lists;
    return { whole: () => [{ event: "state", data: overview }, toEvent(upstreams, [])], changes };
  }
}

/** These change always. */
function withoutAges(name: string, value: unknown): unknown {
  return name === "leaseAgeMs" || name === "upSeconds" ? undefined : value;
}
