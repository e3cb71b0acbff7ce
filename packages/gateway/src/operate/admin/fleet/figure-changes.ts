// Answers another replica, which serves an event stream, with the figures of this one that changed since its last question.
import { lastStep } from "../../observe/traffic.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import type { ApiRequest } from "../api/api-request.ts";
import {
  type EndedStep,
  figuresOf,
  type GatewayFigures,
  recentOf,
  toGatewayFigures,
  type UpstreamFigures,
} from "./figures.ts";

/** Upstreams in one answer. The next one has those that are left. */
const maxUpstreams = 200;

export interface ChangedFigures {
  readonly gateway: GatewayFigures;
  /** The next question names it. */
  readonly version: number;
  /** The answer is the first of those that contain all upstreams: others are no longer there. */
  readonly isWhole: boolean;
  readonly hasMore: boolean;
  readonly upstreams: readonly UpstreamFigures[];
  /** Absent where the question names this step. */
  readonly ended?: EndedStep;
}

/** Numbers the changes, because several replicas may ask at their own pace. */
export class FigureChanges {
  readonly #known = new Map<string, { readonly text: string; readonly version: number }>();
  #version = 0;
  /** Questions with an earlier version get all upstreams. */
  #wholeSince = 0;

  read({ view, traffic }: Pick<AdminSource, "view" | "traffic">, { query }: ApiRequest): ChangedFigures {
    const now = view();
    const upstreams = now.upstreams.map(figuresOf);
    this.#note(upstreams);
    const asked = numberIn(query.figures);
    const isWhole = asked === undefined || asked < this.#wholeSince;
    const since = isWhole ? -1 : asked;
    const versionOf = ({ name }: UpstreamFigures) => this.#known.get(name)?.version ?? 0;
    const changed = upstreams
      .filter((upstream) => versionOf(upstream) > since)
      .sort((one, other) => versionOf(one) - versionOf(other));
    const sent = changed.slice(0, maxUpstreams);
    const hasMore = sent.length < changed.length;
    const last = sent.at(-1);
    const step = lastStep(Date.now());
    const isNewStep = numberIn(query.step) !== step;
    return {
      gateway: toGatewayFigures(now, traffic),
      version: hasMore && last ? versionOf(last) : this.#version,
      ...{ isWhole, hasMore, upstreams: sent },
      ...(isNewStep && { ended: { step, ...traffic.step(step), recent: recentOf(traffic) } }),
    };
  }

  #note(upstreams: readonly UpstreamFigures[]): void {
    const names = new Set(upstreams.map(({ name }) => name));
    for (const name of [...this.#known.keys()]) {
      if (names.has(name)) continue;
      // A reload removes upstreams rarely. All others count as changed, so that they follow in pages.
      this.#known.clear();
      this.#version += 1;
      this.#wholeSince = this.#version;
      break;
    }
    for (const upstream of upstreams) {
      const text = JSON.stringify(upstream);
      if (this.#known.get(upstream.name)?.text === text) continue;
      this.#version += 1;
      this.#known.set(upstream.name, { text, version: this.#version });
    }
  }
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
