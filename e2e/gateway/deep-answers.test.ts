// Upstreams that send results nested too deep to serialize: the caller learns which server failed, and other calls succeed.
import { fileURLToPath } from "node:url";
import type { UpstreamConfig } from "lethe/gateway";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../processes/server.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const script = "e2e/servers/deep.mjs";
const paths = ["json", "stream", "sse", "modern"] as const;
let server: RunningServer;
let running: RunningGateway;

beforeAll(async () => {
  server = await startServer(script, { args: ["http"] });
  const overHttp = (name: string): UpstreamConfig => ({
    ...{ name, kind: "http", url: `${server.url}/${name}`, headers: {} },
  });
  const file = fileURLToPath(new URL(`../../${script}`, import.meta.url));
  running = await runGateway({ upstreams: [stdioUpstream("stdio", [file]), ...paths.map(overHttp)] });
});
afterAll(async () => {
  await running?.close();
  await server?.stop();
});

it.each(["stdio", ...paths])(
  "the gateway reports a result with 20,000 levels as an error of its server (%s)",
  async (name) => {
    const client = await running.connect();
    await expect(client.callTool(`${name}__deep`)).rejects.toMatchObject({
      ...{ code: -32603, data: { upstream: name, reason: "invalid" } },
      message: `upstream "${name}" gave an answer that is nested too deep`,
    });
    expect(await client.callTool(`${name}__fine`)).toMatchObject({ content: [{ text: "fine" }] });
    expect(running.events.filter(({ kind }) => kind === "failed" || kind === "lost")).toEqual([]);
    await client.close();
  },
);
