// The catalog of an upstream that this replica does not have, from a replica that has it.
import { ApiError, type ApiRequest } from "./api/api-request.ts";
import { upstreamPart } from "./api/replica-question.ts";
import type { UpstreamDetail } from "./api/upstreams.ts";
import type { AskReplicas } from "./ask-replicas.ts";
import { readUpstreamPart } from "./fleet/answer-shapes.ts";

/** Rejects with ApiError, with status 404 where no replica has the upstream. A catalog may be large, so one replica alone sends it. */
export async function readCatalogElsewhere(
  request: ApiRequest,
  replicas: Pick<AskReplicas, "all" | "one">,
): Promise<unknown> {
  const { answers } = await replicas.all(upstreamPart, request, readUpstreamPart);
  // A replica where the upstream never started knows none of its items.
  const [most] = answers.flatMap(({ detail }) => detail ?? []).sort((one, other) => itemsOf(other) - itemsOf(one));
  if (!most) throw new ApiError(404, `no upstream ${request.path.name}`);
  return replicas.one(most.replica, "catalog", request);
}

function itemsOf({ tools, prompts, resources }: UpstreamDetail): number {
  return tools + prompts + resources;
}
