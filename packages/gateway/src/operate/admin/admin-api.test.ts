// The operations of the administration interface at one replica, and the questions that other replicas ask it.
import { describe, expect, it } from "vitest";
import { emptyGatewayView } from "../../testing/empty-view.ts";
import { upstreamView } from "../../testing/streaming-replicas.ts";
import type { GatewayView, UpstreamView } from "../observe/gateway-view.ts";
import { createTraffic } from "../observe/traffic.ts";
import { AdminApi } from "./admin-api.ts";
import type { AdminSource } from "./answers/admin-source.ts";
import { AskReplicas, createReplicaDispatch } from "./ask-replicas.ts";

const request = { path: {}, query: {} };

function createApi(replica: string, upstreams: readonly UpstreamView[] = [], others = new Map<string, AdminApi>()) {
  const looks = { count: 0 };
  const view: GatewayView = { ...emptyGatewayView, upstreams };
  const source = {
    ...{ replica, view: () => view, traffic: createTraffic(), processes: { of: () => [] }, stderrOf: () => [] },
    watching: { look: () => (looks.count += 1), follow: () => () => {} },
    catalogsOf: () => ({ own: { tools: [{ name: `tool of ${replica}` }] }, merged: {} }),
    about: () => ({}),
  } as unknown as AdminSource;
  const directory = {
    ...{ self: replica, acquire: () => ({ owner: replica }), release() {} },
    reach: (id: string) => createReplicaDispatch((name, asked) => (others.get(id) as AdminApi).runHere(name, asked)),
  };
  return { api: new AdminApi(source, new AskReplicas({ directory, others: () => [...others.keys()] })), looks };
}

it("counts a question of another replica as a look, but not one for the figures of all replicas", async () => {
  const { api, looks } = createApi("aaaaaaaa");
  for (const name of ["replicaFigures", "seriesPart", "upstreamPart"]) await api.runHere(name, request);
  expect(looks.count).toBe(0);
  await api.runHere("sessions", request);
  expect(looks.count).toBe(1);
});

describe("an upstream that only other replicas have", () => {
  const others = new Map([
    ["bbbbbbbb-2", createApi("bbbbbbbb", [upstreamView("gh")]).api],
    ["cccccccc-3", createApi("cccccccc", [upstreamView("gh", { tools: 1 })]).api],
  ]);
  const { api } = createApi("aaaaaaaa", [upstreamView("own")], others);
  const asked = { path: { name: "gh" }, query: {} };

  it("is listed and described with the replicas that have it", async () => {
    const states = [{ state: "absent", replicas: ["aaaaaaaa"] }, { state: "ready" }];
    expect(await api.run("upstreams", request)).toMatchObject({ upstreams: [{ name: "own" }, { name: "gh", states }] });
    expect(await api.run("upstream", asked)).toMatchObject({ name: "gh", tools: 1, states });
  });

  it("has the catalog of a replica that knows its items", async () => {
    expect(await api.run("catalog", asked)).toMatchObject({
      replica: "cccccccc",
      tools: [{ name: "tool of cccccccc" }],
    });
  });

  it("has no catalog at a replica that is named and does not have it", async () => {
    const named = { ...asked, query: { replica: "aaaaaaaa" } };
    await expect(api.run("catalog", named)).rejects.toMatchObject({ status: 404, message: "no upstream gh" });
  });

  it("is refused with 404 where no replica has it", async () => {
    const unknown = { path: { name: "none" }, query: {} };
    for (const name of ["upstream", "catalog"] as const) {
      await expect(api.run(name, unknown)).rejects.toMatchObject({ status: 404, message: "no upstream none" });
    }
  });
});
