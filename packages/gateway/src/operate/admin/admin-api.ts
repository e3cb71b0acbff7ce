// The operations of the administration API: each is answered by this replica, by another one, or by all of them.
import type { AdminSource } from "./answers/admin-source.ts";
import { toEndpoints } from "./answers/endpoint-answers.ts";
import { toExchangeDetail, toExchanges, toTopology } from "./answers/exchange-answers.ts";
import { toHealth } from "./answers/health-answer.ts";
import { toNewExchanges } from "./answers/new-exchanges.ts";
import { answerPendingCall, answerTask, cancelPendingCall, cancelTask } from "./answers/operator-answers.ts";
import { hasUpstream, toCatalogAnswer } from "./answers/upstream-answers.ts";
import { toPendingCalls, toSessions, toTaskDetail, toTasks } from "./answers/work-answers.ts";
import { ApiError, type ApiRequest } from "./api/api-request.ts";
import type { FleetAnswer } from "./api/fleet.ts";
import { type AdminAnswers, type OperationName, operations } from "./api/operations.ts";
import {
  isForFigures,
  newExchanges,
  type ReplicaQuestion,
  replicaFigures,
  seriesPart,
  upstreamPart,
} from "./api/replica-question.ts";
import type { AskReplicas } from "./ask-replicas.ts";
import { readCatalogElsewhere } from "./catalog-elsewhere.ts";
import { answerWithFigures, type FigureOperation, isFigureOperation } from "./figure-operations.ts";
import { FigureChanges } from "./fleet/figure-changes.ts";
import { toFiguresAnswer } from "./fleet/figures.ts";
import { toUpstreamPart } from "./fleet/merge-detail.ts";
import { toSeriesPart } from "./fleet/merge-series.ts";
import { type FleetOperation, isFleetOperation, merges, toFleetHead } from "./merge-answers.ts";

type Answers = {
  readonly [K in Exclude<OperationName, FigureOperation>]: (
    request: ApiRequest,
  ) => AdminAnswers[K] | Promise<AdminAnswers[K]>;
};
type Questions = Readonly<Record<ReplicaQuestion, (request: ApiRequest) => unknown>>;

export class AdminApi {
  readonly #source: AdminSource;
  readonly #replicas: AskReplicas;
  readonly #answers: Answers;
  readonly #questions: Questions;

  constructor(source: AdminSource, replicas: AskReplicas) {
    this.#source = source;
    this.#replicas = replicas;
    this.#answers = {
      catalog: (request) => toCatalogAnswer(source, request),
      endpoints: () => toEndpoints(source),
      topology: () => toTopology(source),
      exchanges: (request) => toExchanges(source, request),
      exchange: (request) => toExchangeDetail(source, request),
      sessions: () => toSessions(source),
      pendingCalls: () => toPendingCalls(source),
      answerPendingCall: (request) => answerPendingCall(source, request),
      cancelPendingCall: (request) => cancelPendingCall(source, request),
      tasks: () => toTasks(source),
      task: (request) => toTaskDetail(source, request),
      answerTask: (request) => answerTask(source, request),
      cancelTask: (request) => cancelTask(source, request),
      health: () => toHealth(source),
      config: () => source.config(),
      configChanges: () => source.changes(),
      reload: () => source.reload(),
    };
    const changes = new FigureChanges();
    this.#questions = {
      [newExchanges]: (request) => ({
        ...toNewExchanges(source, request),
        ...(request.query.figures !== undefined && { figures: changes.read(source, request) }),
      }),
      [replicaFigures]: () => toFiguresAnswer(source),
      [upstreamPart]: (request) => toUpstreamPart(source, request),
      [seriesPart]: (request) => toSeriesPart(source, request),
    };
  }

  /** Rejects with ApiError. */
  async run(name: OperationName, request: ApiRequest): Promise<unknown> {
    this.#source.watching.look();
    if (isFleetOperation(name)) return this.#runEverywhere(name, request);
    const replica = this.#replicaOf(name, request);
    if (replica !== undefined && replica !== this.#source.replica) return this.#replicas.one(replica, name, request);
    if (name === "catalog" && replica === undefined && !hasUpstream(this.#source, request)) {
      return readCatalogElsewhere(request, this.#replicas);
    }
    if (!isFigureOperation(name)) return this.#answers[name](request);
    return answerWithFigures(name, request, {
      source: this.#source,
      replicas: replica === undefined ? this.#replicas : undefined,
    });
  }

  /** Answers another replica. Rejects with ApiError. */
  async runHere(name: string, request: ApiRequest): Promise<unknown> {
    // A script may read the figures of all replicas again and again.
    if (!isForFigures(name)) this.#source.watching.look();
    if (Object.hasOwn(this.#questions, name)) return this.#questions[name as ReplicaQuestion](request);
    if (isFigureOperation(name)) return answerWithFigures(name, request, { source: this.#source, replicas: undefined });
    if (!Object.hasOwn(this.#answers, name)) throw new ApiError(404, "this replica is of an earlier version");
    return this.#answers[name as keyof Answers](request);
  }

  /** An item names its replica in its id. Other operations may name it in the query. */
  #replicaOf(name: OperationName, { path, query }: ApiRequest): string | undefined {
    if (path.id !== undefined) return path.id.split("-")[0];
    return operations[name].query?.some((parameter) => parameter.name === "replica") ? query.replica : undefined;
  }

  async #runEverywhere<K extends FleetOperation>(name: K, request: ApiRequest): Promise<AdminAnswers[K]> {
    const answering = this.#answers[name](request);
    const { answers, unanswered } = await this.#replicas.all(name, request);
    const own = await answering;
    const others = answers as AdminAnswers[K][];
    const merged = merges[name](own, others);
    return { ...merged, ...toFleetHead(own as FleetAnswer, others as FleetAnswer[], unanswered) } as AdminAnswers[K];
  }
}
