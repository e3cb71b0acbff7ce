// Routes beside the servers: which checks apply to them, and how they fail.
import { expect, it, vi } from "vitest";
import { describeMatrix } from "../testing/http-platforms.ts";
import { callOf } from "../testing/messages.ts";
import type { Route, RouteStream } from "./route.ts";
import type { Servable } from "./servable.ts";

const server: Servable = { dispatch: async () => ({ resultType: "complete" }) };
const ok = { status: 200, headers: { "Content-Type": "text/plain" }, body: "fine" };
const health: Route = { isPublic: true, respond: () => ok };
const admin: Route = { respond: async ({ verb, url }) => ({ ...ok, body: `${verb} ${url}` }) };
const broken: Route = {
  respond() {
    throw new Error("secret");
  },
};
const byPath = new Map([
  ["/healthz", health],
  ["/admin", admin],
  ["/broken", broken],
  ["/mcp", broken],
]);

describeMatrix("a route beside the servers", (platform) => {
  const open = (options = {}) => platform.open({ "/mcp": server }, { routes: (path) => byPath.get(path), ...options });

  it("answers every verb, and gets the complete URL", async () => {
    await using client = await open();
    const answer = await client.send({ verb: "GET", path: "/admin?a=1" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([
      200,
      answer.headers.get("content-length") && "14",
      "GET /admin?a=1",
    ]);
    expect(await (await client.send({ verb: "HEAD", path: "/admin" })).text()).toBe(
      platform.name === "fetch" ? "HEAD /admin" : "",
    );
  });

  it("never replaces a server, and unknown paths stay unknown", async () => {
    await using client = await open();
    expect((await client.send({ body: callOf() })).status).toBe(200);
    expect((await client.send({ verb: "GET", path: "/nothing" })).status).toBe(404);
  });

  it("checks Host and Origin as the servers do (B-2, B-3)", async () => {
    await using client = await open({ allowedHosts: ["gateway.example"] });
    const get = (path: string, headers: Record<string, string>) => client.send({ verb: "GET", path, headers });
    expect((await get("/admin", { host: "evil.example" })).status).toBe(403);
    expect((await get("/admin", { host: "gateway.example" })).status).toBe(200);
    expect((await get("/admin", { host: "gateway.example", origin: "https://evil.example" })).status).toBe(403);
  });

  it("skips these checks if it is public", async () => {
    await using client = await open({ allowedHosts: ["gateway.example"] });
    const headers = { host: "10.0.0.7:3000", origin: "https://evil.example" };
    expect(await (await client.send({ verb: "GET", path: "/healthz", headers })).text()).toBe("fine");
  });

  it("answers 500 when it fails, and reports the error only to the log", async () => {
    const onError = vi.fn();
    await using client = await open({ onError });
    const answer = await client.send({ verb: "GET", path: "/broken" });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret");
    expect(onError).toHaveBeenCalledOnce();
  });

  it("knows whether the connection comes from this machine", async () => {
    const respond = vi.fn(() => ok);
    await using client = await open({ routes: () => ({ respond }) });
    await client.send({ verb: "GET", path: "/x" });
    expect(respond).toHaveBeenCalledWith(expect.objectContaining({ isLoopback: platform.name === "node:http" }));
  });

  it("may answer with an event stream, and learns when the client leaves", async () => {
    const left = vi.fn();
    const stream = (opened: RouteStream): void => {
      opened.onAbort(left);
      opened.send("data: 1\n\n");
    };
    await using client = await open({ routes: () => ({ respond: () => ({ stream }) }) });
    const { answer, leave } = client.open({ verb: "GET", path: "/x" });
    expect((await answer).headers.get("content-type")).toBe("text/event-stream");
    expect((await (await answer).messages().next()).value).toBe(1);
    leave();
    await expect.poll(() => left.mock.calls.length).toBe(1);
  });

  it("ends its event stream when it chooses", async () => {
    const stream = (opened: RouteStream): void => {
      opened.send("data: 1\n\n");
      opened.end();
    };
    await using client = await open({ routes: () => ({ respond: async () => ({ stream }) }) });
    expect(await (await client.send({ verb: "GET", path: "/x" })).text()).toBe(":\n\ndata: 1\n\n");
  });
});
