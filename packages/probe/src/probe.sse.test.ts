// HTTP+SSE servers: a session is a stream, and one stream is all that a probe may open (D-32).
import { afterEach, expect, it } from "vitest";
import { probe } from "./probe.ts";
import { type SseServer, startSseServer } from "./testing/sse-server.ts";

let server: SseServer;
afterEach(() => server.close());

it("an HTTP+SSE server is STATEFUL, probed over one stream that is closed afterwards", async () => {
  server = await startSseServer();
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", transport: "http-sse", eras: { legacy: { contract: "enforced" } } });
  expect(report.features.listed).toEqual({ kind: "tools", count: 1 });
  expect(report.eras.legacy.reasons.map(({ text }) => text)).toContain("a made-up session was refused: 404");
  expect(server.opened()).toBe(1);
  await expect.poll(() => server.connections()).toBe(0);
});

it.each([400, 404, 405])("HTTP+SSE is detected if a POST gets %d", async (postStatus) => {
  server = await startSseServer({ postStatus });
  expect(await probe({ url: server.url })).toMatchObject({ word: "STATEFUL", transport: "http-sse" });
});

it("HTTP+SSE is not tried if a POST fails in another way", async () => {
  server = await startSseServer({ postStatus: 500 });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
  expect(server.opened()).toBe(0);
});

it("a server that never answers an unknown session delays the probe only briefly", async () => {
  server = await startSseServer({ foreignStatus: undefined });
  const report = await probe({ url: server.url }, { timeoutMs: 200 });
  expect(report.word).toBe("STATEFUL");
});

it("a made-up session that is accepted but never answered is no shared session", async () => {
  server = await startSseServer({ foreignStatus: 202 });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { contract: "enforced" } } });
});

it("a server that answers a made-up session on the open stream is single-tenant", async () => {
  server = await startSseServer({ isShared: true });
  const report = await probe({ url: server.url });
  expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { contract: "single-tenant" } } });
  expect(report.advice.pooling).toBe("single-owner");
});

it("the probe sends nothing to an endpoint of another origin", async () => {
  server = await startSseServer({ endpoint: () => "http://127.0.0.1:1/steal" });
  const report = await probe({ url: server.url, headers: { authorization: "Bearer secret-token" } });
  expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
  expect(report.evidence.map(({ via }) => via)).toEqual(["POST", "POST", "GET"]);
  await expect.poll(() => server.connections()).toBe(0);
});

it("a stream without messages after its endpoint ends at the time limit", async () => {
  server = await startSseServer({ endpoint: (id) => `/messages?session_id=${id}x` });
  const report = await probe({ url: server.url }, { timeoutMs: 2_000 });
  expect(report).toMatchObject({ word: "UNKNOWN", transport: "http-sse" });
});
