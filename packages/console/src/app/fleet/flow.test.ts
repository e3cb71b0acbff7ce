// The diagram of callers, replicas and upstreams.
import { expect, it } from "vitest";
import type { TopologyAnswer, Upstream } from "../admin/admin-api.ts";
import { toFlow } from "./flow.ts";

const node = (id: string, requests: number) => ({ id, label: id.split(":")[1] ?? id, requests, errors: 0 });
const upstreams = (names: string[]) => names.map((name) => ({ name, state: "ready" })) as Upstream[];
const topology: TopologyAnswer = {
  ...{ replica: "r1", unanswered: [], omitted: 0, seconds: 60 },
  callers: [node("caller:", 3)],
  replicas: [node("replica:r1", 3)],
  upstreams: [node("upstream:files", 3)],
  edges: [
    { from: "caller:", to: "replica:r1", requests: 3, errors: 0 },
    { from: "replica:r1", to: "upstream:files", requests: 3, errors: 0 },
  ],
};

it("shows upstreams that nothing calls, with a line without requests", () => {
  const flow = toFlow(topology, upstreams(["files", "memory"]));
  expect(flow.callers.map(({ label }) => label)).toEqual(["anonymous"]);
  expect(flow.upstreams.map(({ label, requests }) => [label, requests])).toEqual([
    ["files", 3],
    ["memory", 0],
  ]);
  expect(flow.edges).toContainEqual({ from: "replica:r1", to: "upstream:memory", requests: 0, errors: 0 });
});

it("draws the line of an upstream that only one replica has from that replica", () => {
  const replicas = [node("replica:r1", 3), node("replica:r2", 0)];
  const states = [
    { state: "absent", replicas: ["r1"] },
    { state: "ready", replicas: ["r2"] },
  ] as const;
  const flow = toFlow({ ...topology, replicas }, [{ name: "memory", state: "ready", states } as unknown as Upstream]);
  expect(flow.edges.filter(({ to }) => to === "upstream:memory").map(({ from }) => from)).toEqual(["replica:r2"]);
});

it("sums up the least busy upstreams when there are too many, with their lines", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const flow = toFlow(
    {
      ...topology,
      upstreams: names.map((name, index) => node(`upstream:${name}`, 10 - index)),
      edges: names.map((name, index) => ({
        from: "replica:r1",
        to: `upstream:${name}`,
        requests: 10 - index,
        errors: 0,
      })),
    },
    upstreams(names),
  );
  expect(flow.upstreams.at(-1)).toMatchObject({ label: "2 more upstreams", requests: 7 });
  expect(flow.edges).toContainEqual({ from: "replica:r1", to: "upstream:more", requests: 7, errors: 0 });
});
