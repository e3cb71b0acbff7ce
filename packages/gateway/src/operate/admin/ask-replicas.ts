// Asks the other replicas of the gateway, over the messages by which they forward requests to each other.
import {
  type Dispatch,
  isMcpError,
  McpError,
  type ModernRequest,
  metaKey,
  modelRevision,
  type Result,
} from "@lethe/protocol";
import { isReplicaError, type ReplicaFailure } from "@lethe/server/stores";
import { createOwnExchange } from "../../upstreams/connection/own-request.ts";
import type { SharedState } from "../../upstreams/directory/shared-state.ts";
import { ApiError, type ApiRequest } from "./api/api-request.ts";
import type { UnansweredReplica } from "./api/fleet.ts";
import type { OperationName } from "./api/operations.ts";
import type { ReplicaQuestion } from "./api/replica-question.ts";

/** The path under which replicas reach the administration of each other. No listener serves it. */
export const replicaPath = "/lethe/admin";
const method = "lethe/admin";

/** How long other replicas have to answer. */
const answerMs = 2_000;
/** Replicas that are asked at a time. */
const maxReplicas = 64;
/** Operations for other replicas that run at a time. */
const maxAnswering = 32;
/** An error code of the implementation, for a refusal with a status. */
const refusedCode = -32_050;

/** Why a question was not answered. The message of a ReplicaError would name an upstream. */
const failures: Readonly<Record<ReplicaFailure, string>> = {
  unavailable: "it cannot be reached, or has other keys",
  busy: "it has too many forwarded requests",
  lost: "it stopped or went silent",
  too_large: "its answer is too large",
};

/** What one replica asks another: an operation of the API, or a question that only replicas ask. */
export type Question = OperationName | ReplicaQuestion;

export interface Asked<Answer> {
  readonly answers: readonly Answer[];
  readonly unanswered: readonly UnansweredReplica[];
}

export class AskReplicas {
  readonly #shared: Pick<SharedState, "directory" | "others"> | undefined;

  constructor(shared: Pick<SharedState, "directory" | "others"> | undefined) {
    this.#shared = shared;
  }

  /** The ids of the other replicas that are asked. */
  get names(): readonly string[] {
    return this.#others.slice(0, maxReplicas);
  }

  get #others(): readonly string[] {
    return this.#shared?.others?.() ?? [];
  }

  /** Never rejects. `read` checks an answer, and throws the reason why it does not count. */
  async all<Answer = unknown>(
    operation: Question,
    request: ApiRequest,
    read: (answer: unknown) => Answer = (answer) => answer as Answer,
  ): Promise<Asked<Answer>> {
    const others = this.#others;
    const asked = others.slice(0, maxReplicas);
    const tooMany = others
      .slice(maxReplicas)
      .map((replica) => toUnanswered(replica, `more than ${maxReplicas} replicas`));
    const answers: Answer[] = [];
    const unanswered: UnansweredReplica[] = [];
    await Promise.all(
      asked.map((replica) =>
        this.ask(replica, operation, request)
          .then(read)
          .then(
            (answer) => answers.push(answer),
            (error: Error) => unanswered.push(toUnanswered(replica, error.message)),
          ),
      ),
    );
    return { answers, unanswered: [...unanswered, ...tooMany] };
  }

  /** Rejects with ApiError. `name` is the first characters of the replica's id. */
  async one(name: string, operation: OperationName, request: ApiRequest): Promise<unknown> {
    const replica = name.length < 8 ? undefined : this.#others.find((id) => id.startsWith(name));
    if (replica === undefined) throw new ApiError(404, `no replica ${name.slice(0, 100)}, or no longer`);
    try {
      return await this.ask(replica, operation, request);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError(503, `replica ${name} does not answer: ${(error as Error).message}`);
    }
  }

  /** Rejects with ApiError where the replica refuses, and with another Error where it does not answer. */
  async ask(replica: string, operation: Question, asked: ApiRequest): Promise<unknown> {
    const signal = AbortSignal.timeout(answerMs);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`no answer within ${answerMs / 1_000} s`)), {
        once: true,
      });
    });
    const answer = (async () => {
      const peer = await this.#shared?.directory.reach(replica, replicaPath);
      if (!peer) throw new Error("it is gone");
      return peer(toRequest(operation, asked), createOwnExchange({ signal }));
    })();
    try {
      return (await Promise.race([answer, late])).answer;
    } catch (error) {
      if (isMcpError(error) && error.code === refusedCode) throw toApiError(error);
      throw isReplicaError(error) ? new Error(failures[error.reason], { cause: error }) : error;
    }
  }
}

/** Answers the questions of other replicas with what this one has. */
export function createReplicaDispatch(answer: (operation: string, request: ApiRequest) => Promise<unknown>): Dispatch {
  let answering = 0;
  return async ({ params }) => {
    if (answering >= maxAnswering) throw new McpError(refusedCode, "busy", { data: { status: 503 } });
    answering += 1;
    try {
      const { operation, asked } = params as unknown as { operation: string; asked: ApiRequest };
      return { resultType: "complete", answer: await answer(operation, asked) } as Result;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new McpError(refusedCode, error.message, { data: { status: error.status } });
    } finally {
      answering -= 1;
    }
  };
}

function toRequest(operation: Question, asked: ApiRequest): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
  return { id: 1, method, params: { _meta, operation, asked } } as ModernRequest;
}

function toApiError({ message, data }: McpError): ApiError {
  const { status } = data as { status: ApiError["status"] };
  return new ApiError(status, message);
}

function toUnanswered(replica: string, reason: string): UnansweredReplica {
  return { replica: replica.slice(0, 8), reason };
}
