// The event stream of one replica tells of all replicas as one system.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPeer, createStreamingGateway, upstreamView } from "../../testing/streaming-replicas.ts";

const record = { time: new Date(0), endpoint: "/mcp", method: "tools/call", ms: 4, outcome: "complete" };
const [second, third] = ["bbbbbbbb-2", "cccccccc-3"];

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

it("sends the sum of the figures at once, and again when those of another replica change", async () => {
  const peer = createPeer("bbbbbbbb");
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  for (const one of [gateway, peer]) {
    one.traffic.observe({ ...record, upstream: "gh" });
    one.view.upstreams.push(upstreamView("gh", { sessions: 1 }));
    one.view.sessions.push({ id: "s" });
  }
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(10);
  expect(stream.dataOf("state")).toMatchObject([
    {
      replicas: ["aaaaaaaa", "bbbbbbbb"],
      unanswered: [],
      sessions: 2,
      total: { requests: 2 },
      recent: { requests: 2 },
    },
  ]);
  expect(stream.dataOf("upstreams")).toMatchObject([
    { upstreams: [{ name: "gh", sessions: 2, recent: { requests: 2 } }] },
  ]);
  peer.view.upstreams[0] = upstreamView("gh", { state: "failed", reason: "it ended" });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stream.dataOf("upstreams").at(-1)).toMatchObject({
    upstreams: [{ state: "failed", states: [{ state: "failed", reason: "it ended", replicas: ["bbbbbbbb"] }, {}] }],
  });
  expect(stream.dataOf("state").at(-1)).toMatchObject({ upstreams: { failed: 1, ready: 0 } });
  gateway.close();
  expect(vi.getTimerCount()).toBe(0);
});

it("sends an upstream that only another replica has, with its traffic, until that replica no longer has it", async () => {
  const peer = createPeer("bbbbbbbb");
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  gateway.view.upstreams.push(upstreamView("gh"));
  peer.view.upstreams.push(upstreamView("constructor", { sessions: 1, target: "node new.js" }), upstreamView("gh"));
  peer.traffic.observe({ ...record, upstream: "constructor" });
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(10);
  const [{ upstreams }] = stream.dataOf("upstreams");
  expect(upstreams.map(({ name }: { name: string }) => name)).toEqual(["gh", "constructor"]);
  expect(upstreams[1]).toMatchObject({
    ...{ target: "node new.js", sessions: 1, recent: { requests: 1 }, warnings: [] },
    states: [
      { state: "absent", replicas: ["aaaaaaaa"] },
      { state: "ready", replicas: ["bbbbbbbb"] },
    ],
  });
  expect(stream.dataOf("state")).toMatchObject([{ upstreams: { ready: 2 } }]);
  peer.view.upstreams.shift();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stream.dataOf("upstreams").at(-1)).toMatchObject({ removed: ["constructor"] });
  gateway.close();
});

it("names replicas without figures: one that does not answer, and one of an earlier version", async () => {
  const silent = createPeer("bbbbbbbb");
  silent.answer = () => Promise.reject(new Error("it is gone"));
  const earlier = createPeer("cccccccc", undefined, { isEarlier: true });
  const gateway = createStreamingGateway(
    new Map([
      [second, silent],
      [third, earlier],
    ]),
  );
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(10);
  expect(stream.dataOf("state")).toMatchObject([
    {
      replicas: ["aaaaaaaa"],
      unanswered: [
        { replica: "bbbbbbbb", reason: "it is gone" },
        { replica: "cccccccc", reason: "it is of an earlier version" },
      ],
    },
  ]);
  gateway.close();
});

it("has the figures of an upstream that has the name of a member of every object", async () => {
  const peer = createPeer("bbbbbbbb");
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  gateway.view.upstreams.push(upstreamView("constructor"));
  gateway.traffic.observe({ ...record, upstream: "constructor" });
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stream.dataOf("upstreams")).toMatchObject([{ upstreams: [{ name: "constructor", recent: { requests: 1 } }] }]);
  gateway.close();
});

it("reports once that the state cannot be sent, and sends it when it can", async () => {
  const failures: unknown[] = [];
  const gateway = createStreamingGateway(new Map(), { onFailed: (error) => failures.push(error) });
  const stream = gateway.open();
  gateway.view.upstreams.push(undefined as never);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(failures).toMatchObject([{ name: "TypeError" }]);
  gateway.view.upstreams[0] = upstreamView("gh");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stream.dataOf("upstreams").at(-1)).toMatchObject({ upstreams: [{ name: "gh" }] });
  gateway.close();
});

it("leaves out the figures of a replica that sends another form of them, says so, and carries its exchanges", async () => {
  const peer = createPeer("bbbbbbbb");
  peer.view.sessions.push({ id: "s" });
  peer.ring.add({ ...record, name: "there" });
  const { answer } = peer;
  peer.answer = async (request, exchange) => {
    const result = JSON.parse(JSON.stringify(await answer?.(request, exchange)));
    if (result.answer.figures) result.answer.figures.gateway.recent.durations = { p50: 3 };
    return result;
  };
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(2_000);
  const reason = "it sent figures of another version: gateway.recent.durations is not what this replica expects";
  expect(stream.dataOf("state").at(-1)).toMatchObject({ sessions: 0, unanswered: [{ replica: "bbbbbbbb", reason }] });
  expect(stream.names()).toEqual(["there"]);
  peer.answer = answer;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stream.dataOf("state").at(-1)).toMatchObject({ sessions: 1, unanswered: [] });
  gateway.close();
});

it("no longer counts a replica that stops answering, and counts it again when it answers", async () => {
  const peer = createPeer("bbbbbbbb");
  peer.view.sessions.push({ id: "s" });
  const { answer } = peer;
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(1_000);
  peer.answer = () => Promise.reject(new Error("no answer within 2 s"));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(stream.dataOf("state").at(-1)).toMatchObject({ sessions: 0, unanswered: [{ replica: "bbbbbbbb" }] });
  peer.answer = answer;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(stream.dataOf("state").at(-1)).toMatchObject({ sessions: 1, unanswered: [] });
  gateway.close();
});

it("waits at most a second for the first figures of a replica that is silent", async () => {
  const peer = createPeer("bbbbbbbb");
  peer.answer = () => new Promise(() => {});
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  const stream = gateway.open();
  expect(stream.dataOf("state")).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stream.dataOf("state")).toMatchObject([{ unanswered: [{ replica: "bbbbbbbb", reason: "no answer yet" }] }]);
  gateway.close();
  await vi.advanceTimersByTimeAsync(2_000);
});

it("sends each step of the series once, with the requests of all replicas and the last minute of each upstream", async () => {
  const peer = createPeer("bbbbbbbb");
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(2_000);
  for (const ms of [4, 4, 4]) gateway.traffic.observe({ ...record, ms, upstream: "gh" });
  for (const ms of [400, 400]) peer.traffic.observe({ ...record, ms, upstream: "gh" });
  await vi.advanceTimersByTimeAsync(12_000);
  const [tick, ...more] = stream.dataOf("tick");
  expect(more).toEqual([]);
  expect(tick).toMatchObject({ time: new Date(1_000_000).toISOString(), gateway: { requests: 5 } });
  expect(tick.upstreams.gh.p95).toBeGreaterThan(300);
  expect(tick.recent.gh).toEqual(tick.upstreams.gh);
  gateway.close();
});

it("sends a step without a replica that has not ended it after five seconds", async () => {
  const peer = createPeer("bbbbbbbb");
  const gateway = createStreamingGateway(new Map([[second, peer]]));
  const stream = gateway.open();
  await vi.advanceTimersByTimeAsync(2_000);
  gateway.traffic.observe(record);
  const { answer } = peer;
  // As if its clock were behind: it never sends a step.
  peer.answer = async (request, exchange) => {
    const result = (await answer?.(request, exchange)) as { answer: { figures?: object } } & Awaited<
      ReturnType<NonNullable<typeof answer>>
    >;
    const { figures } = result.answer;
    return { ...result, answer: { ...result.answer, ...(figures && { figures: { ...figures, ended: undefined } }) } };
  };
  await vi.advanceTimersByTimeAsync(12_000);
  expect(stream.dataOf("tick")).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stream.dataOf("tick")).toMatchObject([{ gateway: { requests: 1 } }]);
  gateway.close();
});
