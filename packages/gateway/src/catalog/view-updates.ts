// Updates views after the lists of upstreams were read. An update merges the lists of all upstreams of a view, so while many upstreams
// are read, as after a start, one update serves several of them.
import type { CatalogView, ListKind } from "./catalog-view.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";
import { Slices } from "./slices.ts";

interface Followed {
  readonly view: CatalogView;
  /** Whether it has several upstreams. The update of a view of one upstream takes almost no time. */
  isMerged: boolean;
  /** Before this time, a further update waits. In ms of `performance.now()`. */
  restsUntil: number;
  waiting: WaitingUpdate | undefined;
}

interface WaitingUpdate {
  readonly announced: Set<ListKind>;
  readonly done: Promise<void>;
}

/** Lists that were read. */
export interface ReadLists {
  readonly upstream: string;
  /** The lists that the upstream announced as changed. */
  readonly announced: ReadonlySet<ListKind> | undefined;
  /** The number of items in all lists of the upstream. */
  readonly items: number;
}

/**
 * Views rest after an update for this many times as long as the updates of all merged views take, so updates take a tenth of the time, or
 * half of it where the rest would be longer than `longestRestMs`.
 */
const restFactor = 9;
/** In ms. */
const longestRestMs = 1_000;
/** In ms. Views of few upstreams are always updated at once. */
const shortUpdateMs = 1;

export class ViewUpdates {
  readonly #catalogOf: (upstream: string) => UpstreamCatalog | undefined;
  #followed: ReadonlyMap<CatalogView, Followed> = new Map();
  #byUpstream: ReadonlyMap<string, readonly Followed[]> = new Map();
  /** How many merged views one read may update: those of the upstream with most of them. */
  #mergedPerRead = 1;

  constructor(catalogOf: (upstream: string) => UpstreamCatalog | undefined) {
    this.#catalogOf = catalogOf;
  }

  /** Replaces the views, and updates all of them. Call this again when the upstreams of a view change. */
  follow(views: readonly CatalogView[]): void {
    const before = this.#followed;
    const byUpstream = new Map<string, Followed[]>();
    this.#followed = new Map(views.map((view) => [view, before.get(view) ?? toFollowed(view)]));
    for (const followed of this.#followed.values()) {
      const { upstreams } = followed.view;
      followed.isMerged = upstreams.length > 1;
      for (const upstream of upstreams) {
        const ofUpstream = byUpstream.get(upstream);
        if (ofUpstream) ofUpstream.push(followed);
        else byUpstream.set(upstream, [followed]);
      }
    }
    this.#byUpstream = byUpstream;
    this.#mergedPerRead = mostMerged(byUpstream);
    for (const followed of this.#followed.values()) this.#update(followed, undefined);
  }

  /**
   * Resolves when the views of the upstream have its lists. Merging a long list takes some milliseconds, so other requests are served in
   * between.
   */
  async apply({ upstream, announced, items }: ReadLists): Promise<void> {
    const slices = new Slices();
    const resting: Followed[] = [];
    for (const followed of this.#byUpstream.get(upstream) ?? []) {
      if (slices.isLong(items)) await slices.pause();
      // Views that were created meanwhile already have the lists.
      if (!this.#isFollowed(followed)) continue;
      if (followed.waiting || performance.now() < followed.restsUntil) resting.push(followed);
      else this.#update(followed, announced);
    }
    await Promise.all(resting.map((followed) => this.#updateAfterRest(followed, announced)));
  }

  #updateAfterRest(followed: Followed, announced: ReadonlySet<ListKind> = new Set()): Promise<void> {
    followed.waiting ??= this.#startWaiting(followed);
    for (const kind of announced) followed.waiting.announced.add(kind);
    return followed.waiting.done;
  }

  #startWaiting(followed: Followed): WaitingUpdate {
    const announced = new Set<ListKind>();
    const rest = new Promise((resolve) => setTimeout(resolve, followed.restsUntil - performance.now()).unref());
    const done = rest.then(() => {
      followed.waiting = undefined;
      if (this.#isFollowed(followed)) this.#update(followed, announced);
    });
    return { announced, done };
  }

  #update(followed: Followed, announced: ReadonlySet<ListKind> | undefined): void {
    const begun = performance.now();
    followed.view.update(this.#catalogOf, announced);
    const ended = performance.now();
    const tookMs = (ended - begun) * (followed.isMerged ? this.#mergedPerRead : 1);
    const restMs = Math.max(tookMs, Math.min(longestRestMs, restFactor * tookMs));
    followed.restsUntil = tookMs < shortUpdateMs ? 0 : ended + restMs;
  }

  #isFollowed(followed: Followed): boolean {
    return this.#followed.get(followed.view) === followed;
  }
}

function toFollowed(view: CatalogView): Followed {
  return { view, isMerged: false, restsUntil: 0, waiting: undefined };
}

function mostMerged(byUpstream: ReadonlyMap<string, readonly Followed[]>): number {
  let most = 1;
  for (const views of byUpstream.values()) most = Math.max(most, views.filter(({ isMerged }) => isMerged).length);
  return most;
}
