// Probes servers of the official SDKs in this process, where leftover sessions and sockets are visible.
import { probe } from "lethe/probe";
import { afterEach, describe, expect, it } from "vitest";
import type { Fixture } from "../servers/fixture.ts";
import { startSingleV1, startStatefulV1, startStatelessV1 } from "../servers/official-v1.ts";
import { startV2 } from "../servers/official-v2.ts";
import { capture } from "./capture.ts";
import { openSockets } from "./left-over.ts";

let fixture: Fixture;
afterEach(() => fixture.close());

/** Taken from the responses to plain fetch (`capture`): discover; initialize; tools/list with, without and with a foreign id. */
const groundTruth = [
  {
    name: "v1, a session for each client, event streams",
    start: () => startStatefulV1(),
    wire: "400 -32000; 200 id; 200, 400 -32000, 400 -32000",
    verdict: { word: "STATEFUL", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  {
    name: "v1, a session for each client, JSON",
    start: () => startStatefulV1({ isJson: true }),
    wire: "400 -32000; 200 id; 200, 400 -32000, 400 -32000",
    verdict: { word: "STATEFUL", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  {
    name: "v1, no sessions, event streams",
    start: () => startStatelessV1(),
    wire: "400 -32000; 200; 200, 200, 200",
    verdict: { word: "STATELESS", modern: false, legacy: ["STATELESS", "none"] },
  },
  {
    name: "v1, no sessions, JSON",
    start: () => startStatelessV1({ isJson: true }),
    wire: "400 -32000; 200; 200, 200, 200",
    verdict: { word: "STATELESS", modern: false, legacy: ["STATELESS", "none"] },
  },
  {
    name: "v2, both eras",
    start: () => startV2("stateless"),
    wire: "200; 200; 200, 200, 200",
    verdict: { word: "STATELESS", modern: true, legacy: ["STATELESS", "none"] },
  },
  {
    name: "v2, modern alone",
    start: () => startV2("reject"),
    wire: "200; 400 -32022; 400 -32022, 400 -32022, 400 -32022",
    verdict: { word: "STATELESS", modern: true, legacy: ["UNKNOWN", undefined] },
  },
] as const;

describe.each(groundTruth)("$name", ({ start, wire, verdict }) => {
  it("an SDK server gets the expected verdict", async () => {
    fixture = await start();
    const { discover, initialize, trials, hasId } = await capture(fixture.url);
    expect(`${discover}; ${initialize}${hasId ? " id" : ""}; ${trials.join(", ")}`).toBe(wire);

    const report = await probe({ url: fixture.url }, { timeoutMs: 15_000 });
    const { modern, legacy } = report.eras;
    expect({ word: report.word, modern: modern.isSpoken, legacy: [legacy.word, legacy.contract] }).toEqual(verdict);
    expect(report.requests).toBeLessThanOrEqual(16);
    expect(fixture.sessions()).toBe(0);
  });

  it("an SDK server keeps no session and no open socket after the probe", async () => {
    fixture = await start();
    const before = openSockets();
    await probe({ url: fixture.url }, { timeoutMs: 15_000 });
    expect(fixture.sessions()).toBe(0);
    await expect.poll(() => fixture.connections()).toBe(0);
    expect(openSockets()).toBeLessThanOrEqual(before);
  });
});

describe("a v1 server with a single transport", () => {
  it("a v1 server without a session is STATEFUL and single-tenant, and the report says that the probe used its session", async () => {
    fixture = await startSingleV1();
    const report = await probe({ url: fixture.url });
    expect([report.word, report.eras.legacy.contract]).toEqual(["STATEFUL", "single-tenant"]);
    expect(report.remarks.join()).toContain("restart the server");
    expect(fixture.sessions()).toBe(0);
  });

  it("a v1 server with a session is STATEFUL and single-tenant, and the session continues", async () => {
    fixture = await startSingleV1();
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "first", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    await (await fetch(fixture.url, { method: "POST", headers, body })).text();
    const report = await probe({ url: fixture.url });
    expect([report.word, report.eras.legacy.contract]).toEqual(["STATEFUL", "single-tenant"]);
    expect(fixture.sessions()).toBe(1);
  });
});

it("a v1 server does not know the session of another instance", async () => {
  fixture = await startStatefulV1();
  const other = await startStatefulV1();
  const report = await probe({ url: fixture.url }, { replicas: [other.url] });
  await other.close();
  expect(report.instances).toMatchObject([{ era: "legacy", isAnyInstance: false }]);
  expect(fixture.sessions()).toBe(0);
});
