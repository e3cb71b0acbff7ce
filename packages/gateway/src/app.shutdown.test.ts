// Readiness and shutdown of a served gateway.
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { serveGateway } from "./app.ts";
import { parseSourceFile } from "./config/source-file.ts";
import { toConfig } from "./config/to-config.ts";
import { operate, startUpstreams } from "./testing/operated.ts";
import { useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("readiness and shutdown", () => {
  it("fails readiness checks at shutdown and lets running calls finish", async () => {
    const own = await startUpstreams("a");
    const gateway = await operate({
      mcpServers: { a: { url: own.urls.a } },
      gateway: { shutdown: { delayMs: 500, graceMs: 5_000 } },
    });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    const closed = gateway.served.close();
    const readiness = await gateway.get("/readyz");
    expect([readiness.status, await readiness.text()]).toEqual([503, "draining\n"]);
    expect((await gateway.get("/healthz")).status).toBe(200);
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await closed;
    await own[Symbol.asyncDispose]();
  });

  it("does not wait for a running reload at shutdown and starts nothing of it", async () => {
    let go = (): void => {};
    let reading: Promise<void> = Promise.resolve();
    let names = ["gh"];
    const load = async () => {
      await reading;
      return toConfig([parseSourceFile("lethe.json", JSON.stringify(documentOf({}, names)))], { environment: {} });
    };
    const served = await serveGateway({ load, settings: { port: 0 }, watches: false });
    reading = new Promise((resolve) => {
      go = resolve;
    });
    names = ["gh", "fs"];
    const reloaded = served.reload();
    await served.close();
    go();
    expect(await reloaded).toEqual({ isApplied: false, problems: ["the gateway is being stopped"] });
    expect(served.gateway.upstreams.map(({ name }) => name)).toEqual(["gh"]);
  });

  it("becomes ready despite a hanging server, unless that server is required", async () => {
    const hanging = createHttpServer(() => {}).listen(0, "127.0.0.1");
    await once(hanging, "listening");
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`;
    const document = (required: boolean) => ({
      mcpServers: { gh: { url: fixture.upstreams.urls.gh }, hanging: { url } },
      gateway: { upstreams: { hanging: { required } } },
    });
    const readinessOf = async (required: boolean) => {
      const load = async () =>
        toConfig([parseSourceFile("lethe.json", JSON.stringify(document(required)))], { environment: {} });
      const served = await serveGateway({
        load,
        settings: { port: 0 },
        watches: false,
        gateway: { startupWaitMs: 50 },
      });
      const read = async () => (await fetch(new URL("/readyz", served.url))).text();
      await vi.waitFor(async () => expect(await read()).not.toBe("starting\n"));
      await vi.waitUntil(() => served.view().upstreams[0]?.state === "ready");
      const readiness = await read();
      await served.close();
      return readiness;
    };
    expect([await readinessOf(false), await readinessOf(true)]).toEqual(["ready\n", "waiting for upstreams\n"]);
    hanging.close();
    hanging.closeAllConnections();
  });

  it("is not ready while no server responds", async () => {
    const own = await startUpstreams("a");
    const document = {
      mcpServers: { a: { url: own.urls.a }, gone: { url: "http://127.0.0.1:1/mcp" } },
      gateway: {},
    };
    await using gateway = await operate(document);
    gateway.write({ ...document, gateway: { upstreams: { gone: { required: true } } } });
    await gateway.served.reload();
    const readiness = await gateway.get("/readyz");
    expect([readiness.status, await readiness.text()]).toEqual([503, "waiting for upstreams\n"]);
    expect(await (await gateway.get("/admin/v1/upstreams/gone")).json()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("127.0.0.1:1"),
    });
    await own[Symbol.asyncDispose]();
  });
});
