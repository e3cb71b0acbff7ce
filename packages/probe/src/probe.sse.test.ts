// HTTP+SSE servers: a session is a stream, and one stream is all that a probe may open (D-32).
import { afterEach, expect, it } from "vitest";
import { probe } from "./probe.ts";
import { type SseServer, startSseServer } from "./testing/sse-server.ts";

let server: SseServer;
afterEach(() => server.close());

it("is STATEFUL by construction, over one stream that is closed afterwards", async () => {
  server = await startSseServer();
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", transport: "http+sse", eras: { legacy: { contract: "enforced" } } });
  expect(report.features.listed).toEqual({ kind: "tools", count: 1 });
  expect(report.eras.legacy.reasons.map(({ text }) => text)).toContain("a made-up session was refused: 404");
  expect(server.opened()).toBe(1);
  await expect.poll(() => server.connections()).toBe(0);
});

it.each([400, 404, 405])("is found where a POST is answered %d", async (postStatus) => {
  server = await startSseServer({ postStatus });
  expect(await probe({ url: server.url })).toMatchObject({ word: "STATEFUL", transport: "http+sse" });
});

it("is not looked for where a POST fails otherwise", async () => {
  server = await startSseServer({ postStatus: 500 });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
  expect(server.opened()).toBe(0);
});

it("a server that leaves an unknown session unanswered costs a moment and no verdict", async () => {
  server = await startSseServer({ foreignStatus: undefined });
  const report = await probe({ url: server.url }, { timeoutMs: 200 });
  expect(report.word).toBe("STATEFUL");
});

it("a made-up session that is taken and never answered is no session of ours", async () => {
  server = await startSseServer({ foreignStatus: 202 });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { contract: "enforced" } } });
});

it("one stream for everybody is single-tenant: a made-up session is answered on ours", async () => {
  server = await startSseServer({ isShared: true });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { contract: "single-tenant" } } });
  expect(report.advice.pooling).toBe("single-owner");
});

it("an endpoint of another origin gets nothing from us", async () => {
  server = await startSseServer({ endpoint: () => "http://127.0.0.1:1/steal" });
  const report = await probe({ url: server.url, headers: { authorization: "Bearer secret-token" } });
  expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
  expect(report.evidence.map(({ via }) => via)).toEqual(["POST", "POST", "GET"]);
  await expect.poll(() => server.connections()).toBe(0);
});

it("a stream that promises an endpoint and says nothing else ends in time", async () => {
  server = await startSseServer({ endpoint: (id) => `/messages?session_id=${id}x` });
  const report = await probe({ url: server.url }, { timeoutMs: 2_000 });
  expect(report).toMatchObject({ word: "UNKNOWN", transport: "http+sse" });
});
