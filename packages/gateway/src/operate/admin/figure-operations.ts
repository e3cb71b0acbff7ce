// The operations that answer with the sum of the figures of all replicas. Other replicas send what adds up: counts, and no percentiles.
import type { AdminSource } from "./answers/admin-source.ts";
import { toOverview } from "./answers/overview-answers.ts";
import type { ApiRequest } from "./api/api-request.ts";
import type { AdminAnswers } from "./api/operations.ts";
import { replicaFigures, seriesPart, upstreamPart } from "./api/replica-question.ts";
import type { AskReplicas, Question } from "./ask-replicas.ts";
import { readFigures, readSeriesPart, readUpstreamPart } from "./fleet/answer-shapes.ts";
import { toReplicaFigures } from "./fleet/figures.ts";
import { mergeDetail, toUpstreamPart } from "./fleet/merge-detail.ts";
import {
  mergeOverview,
  mergeUpstreams,
  type OtherFigures,
  type OwnFigures,
  toHead,
  withRecent,
} from "./fleet/merge-figures.ts";
import { mergeSeries, toSeriesPart } from "./fleet/merge-series.ts";

export type FigureOperation = "overview" | "upstreams" | "upstream" | "series";

export interface FigureContext {
  readonly source: AdminSource;
  /** Undefined for the figures of this replica alone. */
  readonly replicas: Pick<AskReplicas, "all"> | undefined;
}

type Answer<K extends FigureOperation> = (request: ApiRequest, context: FigureContext) => Promise<AdminAnswers[K]>;

const operations: { readonly [K in FigureOperation]: Answer<K> } = {
  async overview(request, context) {
    const other = await askForFigures(request, context);
    const own = toOwnFigures(context.source);
    return mergeOverview(own, mergeUpstreams(own, other), other);
  },
  async upstreams(request, context) {
    const other = await askForFigures(request, context);
    const own = toOwnFigures(context.source);
    const upstreams = mergeUpstreams(own, other).map((upstream) => withRecent(upstream, own, other));
    return { ...toHead(context.source.replica, other), upstreams };
  },
  async upstream(request, context) {
    const { parts, head } = await ask(upstreamPart, request, context, readUpstreamPart);
    return mergeDetail(toUpstreamPart(context.source, request), parts, { request, head });
  },
  async series(request, context) {
    const { parts, head } = await ask(seriesPart, request, context, readSeriesPart);
    return mergeSeries(toSeriesPart(context.source, request), parts, { request, head });
  },
};

export function isFigureOperation(name: string): name is FigureOperation {
  return Object.hasOwn(operations, name);
}

/** Rejects with ApiError. */
export function answerWithFigures(
  name: FigureOperation,
  request: ApiRequest,
  context: FigureContext,
): Promise<unknown> {
  return operations[name](request, context);
}

export function toOwnFigures(source: AdminSource): OwnFigures {
  const view = source.view();
  return { overview: toOverview(source, view), view, recent: (upstream) => source.traffic.recent(upstream) };
}

async function askForFigures(request: ApiRequest, context: FigureContext): Promise<OtherFigures> {
  const { parts, unanswered } = await ask(replicaFigures, request, context, readFigures);
  return { others: parts.map(toReplicaFigures), unanswered };
}

async function ask<Part extends { readonly replica: string }>(
  question: Question,
  request: ApiRequest,
  { source, replicas }: FigureContext,
  read: (answer: unknown) => Part,
) {
  const nothing = { answers: [], unanswered: [] };
  const { answers: parts, unanswered } = replicas ? await replicas.all(question, request, read) : nothing;
  return { parts, unanswered, head: toHead(source.replica, { others: parts, unanswered }) };
}
