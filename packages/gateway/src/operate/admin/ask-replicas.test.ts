// The questions of the administration to other replicas.
import type { Dispatch } from "@lethe/protocol";
import { ReplicaError } from "@lethe/server/stores";
import { describe, expect, it } from "vitest";
import { ApiError, type ApiRequest } from "./api/api-request.ts";
import { AskReplicas, createReplicaDispatch } from "./ask-replicas.ts";

const request: ApiRequest = { path: {}, query: {} };
const names = ["aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3"];

function createReplicas(dispatchOf: (replica: string) => Dispatch | undefined) {
  const directory = { self: "self", acquire: () => ({ owner: "self" }), release() {}, reach: dispatchOf };
  return new AskReplicas({ directory, others: () => names });
}

describe("a question to all replicas", () => {
  it("is answered by those that can, and says which did not answer and why", async () => {
    const replicas = createReplicas((replica) => {
      if (replica === names[1]) return undefined;
      if (replica === names[2]) return () => Promise.reject(new Error("it stands still"));
      return createReplicaDispatch(async (operation) => ({ operation, from: replica }));
    });
    expect(await replicas.all("sessions", request)).toEqual({
      answers: [{ operation: "sessions", from: names[0] }],
      unanswered: [
        { replica: "bbbbbbbb", reason: "it is gone" },
        { replica: "cccccccc", reason: "it stands still" },
      ],
    });
  });

  it("names a replica whose answer cannot be read", async () => {
    const replicas = createReplicas((replica) => createReplicaDispatch(async () => ({ from: replica })));
    const read = (answer: unknown) => {
      const { from } = answer as { from: string };
      if (from === names[1]) throw new Error("it sent another form");
      return from;
    };
    expect(await replicas.all("replicaFigures", request, read)).toEqual({
      answers: [names[0], names[2]],
      unanswered: [{ replica: "bbbbbbbb", reason: "it sent another form" }],
    });
  });

  it("says of a replica to which requests cannot be forwarded that it cannot be reached, or has other keys", async () => {
    const unreachable = () =>
      Promise.reject(new ReplicaError("unavailable", "has its session at a replica that is gone"));
    const { unanswered } = await createReplicas(() => unreachable).all("sessions", request);
    expect(unanswered).toEqual(
      names.map((name) => ({ replica: name.slice(0, 8), reason: "it cannot be reached, or has other keys" })),
    );
  });

  it("has no answers in a gateway without replicas", async () => {
    expect(await new AskReplicas(undefined).all("sessions", request)).toEqual({ answers: [], unanswered: [] });
  });
});

describe("a question to one replica", () => {
  it("is refused as that replica refuses it", async () => {
    const answer = createReplicaDispatch(() => Promise.reject(new ApiError(404, "no upstream x")));
    const replicas = createReplicas(() => answer);
    await expect(replicas.one("aaaaaaaa", "upstream", request)).rejects.toMatchObject({
      status: 404,
      message: "no upstream x",
    });
  });

  it("is refused with 404 for an unknown replica and with 503 for one that is gone", async () => {
    const replicas = createReplicas(() => undefined);
    await expect(replicas.one("dddddddd", "upstream", request)).rejects.toMatchObject({ status: 404 });
    await expect(replicas.one("a", "upstream", request)).rejects.toMatchObject({ status: 404 });
    await expect(replicas.one("aaaaaaaa", "upstream", request)).rejects.toMatchObject({ status: 503 });
  });
});
