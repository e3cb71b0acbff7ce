// The exchanges of other replicas on the event stream of the administration.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPeer, createStreamingGateway, type Peer } from "../../testing/streaming-replicas.ts";

const record = { time: new Date(0), endpoint: "/mcp", method: "tools/call", ms: 1, outcome: "complete" };
const other = "bbbbbbbb-2";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the event stream of a gateway with replicas", () => {
  it("carries the exchanges of all replicas, masked and filtered", async () => {
    const peer = createPeer("bbbbbbbb");
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    gateway.ring.add({ ...record, name: "kept here" });
    peer.ring.add({ ...record, name: "kept there" });
    const stream = gateway.open({ method: "tools/call" });
    await vi.advanceTimersByTimeAsync(200);
    peer.ring.add({ ...record, name: "new secret-word" });
    peer.ring.add({ ...record, name: "unwanted", method: "tools/list" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stream.names()).toEqual(["kept here", "kept there", "new ***"]);
    expect(stream.dataOf("exchange").at(-1)).toMatchObject({ id: "bbbbbbbb-1", replica: "bbbbbbbb" });
    expect(stream.dataOf("replicas")).toEqual([{ replicas: ["aaaaaaaa", "bbbbbbbb"], unanswered: [] }]);
    gateway.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("continues at another replica where the last stream ended", async () => {
    const peer = createPeer("bbbbbbbb");
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    gateway.ring.add({ ...record, name: "1" });
    peer.ring.add({ ...record, name: "2" });
    const first = gateway.open();
    await vi.advanceTimersByTimeAsync(500);
    gateway.close();
    expect(first.names()).toEqual(["1", "2"]);
    gateway.ring.add({ ...record, name: "3" });
    peer.ring.add({ ...record, name: "4" });
    const moved = createStreamingGateway(new Map([["aaaaaaaa-1", createPeer("aaaaaaaa", gateway.ring)]]), {
      ...{ self: "bbbbbbbb", ring: peer.ring },
    });
    const second = moved.open({}, first.told.findLast(({ id }) => id !== undefined)?.id);
    await vi.advanceTimersByTimeAsync(500);
    expect(second.names()).toEqual(["4", "3"]);
    moved.close();
  });

  it("says which replica does not answer and why, sends the exchanges of the others, and those of this one later", async () => {
    const peer = createPeer("bbbbbbbb");
    const { answer } = peer;
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    peer.answer = () => Promise.reject(new Error("no answer within 2 s"));
    const stream = gateway.open();
    gateway.ring.add({ ...record, name: "here" });
    peer.ring.add({ ...record, name: "there" });
    await vi.advanceTimersByTimeAsync(3_500);
    expect(stream.names()).toEqual(["here"]);
    expect(stream.dataOf("replicas").at(-1)).toMatchObject({
      unanswered: [{ replica: "bbbbbbbb", reason: "no answer within 2 s" }],
    });
    peer.answer = answer;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stream.names()).toEqual(["here", "there"]);
    expect(stream.dataOf("replicas").at(-1)).toMatchObject({ unanswered: [] });
    gateway.close();
  });

  it("follows replicas that join, and no longer those that are gone", async () => {
    const peers = new Map<string, Peer>();
    const gateway = createStreamingGateway(peers);
    const stream = gateway.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stream.dataOf("replicas")).toEqual([]);
    const peer = createPeer("bbbbbbbb");
    peers.set(other, peer);
    peer.ring.add({ ...record, name: "joined" });
    await vi.advanceTimersByTimeAsync(2_000);
    peers.clear();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stream.names()).toEqual(["joined"]);
    expect(stream.dataOf("replicas")).toMatchObject([
      { replicas: ["aaaaaaaa", "bbbbbbbb"] },
      { replicas: ["aaaaaaaa"] },
    ]);
    gateway.close();
  });

  it("counts the exchanges that another replica dropped before they were read", async () => {
    const peer = createPeer("bbbbbbbb");
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    const stream = gateway.open();
    await vi.advanceTimersByTimeAsync(600);
    for (let count = 0; count < 300; count += 1) peer.ring.add({ ...record, name: `${count}` });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stream.names()).toHaveLength(200);
    expect(stream.dataOf("gap")).toEqual([{ missed: 100, replica: "bbbbbbbb" }]);
    gateway.close();
  });

  it("says that a list of another replica has changed", async () => {
    const peer = createPeer("bbbbbbbb");
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    const stream = gateway.open();
    await vi.advanceTimersByTimeAsync(600);
    peer.view.sessions.push({ id: "s1" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(stream.dataOf("changed")).toEqual([{ resources: ["sessions"] }]);
    gateway.close();
  });

  it("tells each client how many exchanges were left out of the sample since it connected, by replica", async () => {
    const peer = createPeer("bbbbbbbb");
    const gateway = createStreamingGateway(new Map([[other, peer]]));
    for (let count = 0; count < 5; count += 1) gateway.ring.leaveOut();
    const first = gateway.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first.dataOf("sampled")).toEqual([]);
    for (let count = 0; count < 7; count += 1) gateway.ring.leaveOut();
    for (let count = 0; count < 3; count += 1) peer.ring.leaveOut();
    for (const { ring } of [gateway, peer]) ring.add({ ...record, name: "kept" });
    const second = gateway.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first.dataOf("sampled")).toEqual([
      { leftOut: 7, replica: "aaaaaaaa" },
      { leftOut: 3, replica: "bbbbbbbb" },
    ]);
    expect(second.dataOf("sampled")).toEqual([{ leftOut: 3, replica: "bbbbbbbb" }]);
    gateway.close();
  });
});
