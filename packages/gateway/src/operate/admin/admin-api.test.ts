// The questions that other replicas ask this one.
import { expect, it } from "vitest";
import type { GatewayView } from "../observe/gateway-view.ts";
import { createTraffic } from "../observe/traffic.ts";
import { AdminApi } from "./admin-api.ts";
import type { AdminSource } from "./answers/admin-source.ts";
import { AskReplicas } from "./ask-replicas.ts";

it("counts a question of another replica as a look, but not one for the figures of all replicas", async () => {
  let looks = 0;
  const view: GatewayView = { upstreams: [], sessions: [], sessionCount: 0, pendingCalls: [], tasks: [] };
  const watching = { look: () => (looks += 1), follow: () => () => {} };
  const source = {
    replica: "aaaaaaaa",
    view: () => view,
    traffic: createTraffic(),
    watching,
  } as unknown as AdminSource;
  const api = new AdminApi(source, new AskReplicas(undefined));
  for (const name of ["replicaFigures", "seriesPart", "upstreamPart"]) await api.runHere(name, { path: {}, query: {} });
  expect(looks).toBe(0);
  await api.runHere("sessions", { path: {}, query: {} });
  expect(looks).toBe(1);
});
