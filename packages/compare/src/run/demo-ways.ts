// The demonstration server, reachable in every way that there is.
import { createRequire } from "node:module";
import { modelRevision } from "@lethe/protocol";
import { newestLegacyRevision } from "@lethe/protocol/revisions";
import { serve } from "@lethe/server/node";
import { createDemoServer } from "./demo-server.ts";
import type { HttpTransport, Way } from "./way.ts";

export interface OpenWay {
  readonly way: Way;
  close(): Promise<void>;
}

/** Starts what the way needs. Each one gets a server of its own: the script changes it. */
export type OpenDemoWay = () => Promise<OpenWay>;

export const demoWays: readonly OpenDemoWay[] = [
  () =>
    overHttp({
      id: "modern-http",
      title: `Streamable HTTP, ${modelRevision}`,
      transport: "streamable-http",
      era: "modern",
    }),
  () =>
    overHttp({
      id: "legacy-http-stateless",
      title: `Streamable HTTP, ${newestLegacyRevision}, stateless`,
      transport: "streamable-http",
      sessions: "none",
    }),
  () =>
    overHttp({
      id: "legacy-http",
      title: `Streamable HTTP, ${newestLegacyRevision}, sessions`,
      transport: "streamable-http",
    }),
  () => overHttp({ id: "http-sse", title: "HTTP+SSE", transport: "http-sse" }),
  () => overStdio({ id: "modern-stdio", title: `stdio, ${modelRevision}`, era: "modern" }),
  () => overStdio({ id: "legacy-stdio", title: `stdio, ${newestLegacyRevision}`, era: "legacy" }),
];

interface DemoHttpWay {
  id: string;
  title: string;
  transport: HttpTransport;
  era?: "modern" | "legacy";
  sessions?: "sealed" | "none";
}

async function overHttp({ id, title, transport, era = "legacy", sessions = "sealed" }: DemoHttpWay): Promise<OpenWay> {
  const server = createDemoServer({ legacy: { sessions } });
  const { url, close } = await serve(server, { port: 0 });
  const address = transport === "http-sse" ? new URL("/sse", url).href : url;
  return {
    way: { kind: "http", id, title, era, transport, url: address },
    async close() {
      await close({ graceMs: 100 });
      await server.close();
    },
  };
}

async function overStdio({
  id,
  title,
  era,
}: {
  id: string;
  title: string;
  era: "modern" | "legacy";
}): Promise<OpenWay> {
  const program = createRequire(import.meta.url).resolve("@lethe/compare/demo");
  const target = { command: process.execPath, args: [program] };
  return {
    // Where this package is installed is nobody's business.
    way: { kind: "stdio", id, title, era, target, endpoint: "node @lethe/compare/demo" },
    close: async () => {},
  };
}
