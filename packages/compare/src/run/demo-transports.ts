// Starts the demonstration server over each transport.
import { createRequire } from "node:module";
import { modelRevision } from "@lethe/protocol";
import { newestLegacyRevision } from "@lethe/protocol/revisions";
import { serve } from "@lethe/server/node";
import { createDemoServer } from "./demo-server.ts";
import type { HttpTransport, Transport } from "./transport.ts";

export interface OpenTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Starts a server for one transport. Each transport gets its own server, because the script changes the server. */
export type OpenDemoTransport = () => Promise<OpenTransport>;

export const demoTransports: readonly OpenDemoTransport[] = [
  () =>
    overHttp({
      id: "modern-http",
      title: `Streamable HTTP, ${modelRevision}`,
      kind: "streamable-http",
      era: "modern",
    }),
  () =>
    overHttp({
      id: "legacy-http-stateless",
      title: `Streamable HTTP, ${newestLegacyRevision}, stateless`,
      kind: "streamable-http",
      sessions: "none",
    }),
  () =>
    overHttp({
      id: "legacy-http",
      title: `Streamable HTTP, ${newestLegacyRevision}, sessions`,
      kind: "streamable-http",
    }),
  () => overHttp({ id: "http-sse", title: "HTTP+SSE", kind: "http-sse" }),
  () => overStdio({ id: "modern-stdio", title: `stdio, ${modelRevision}`, era: "modern" }),
  () => overStdio({ id: "legacy-stdio", title: `stdio, ${newestLegacyRevision}`, era: "legacy" }),
];

interface DemoHttpTransport {
  id: string;
  title: string;
  kind: HttpTransport["kind"];
  era?: "modern" | "legacy";
  sessions?: "sealed" | "none";
}

async function overHttp({
  id,
  title,
  kind,
  era = "legacy",
  sessions = "sealed",
}: DemoHttpTransport): Promise<OpenTransport> {
  const server = createDemoServer({ legacy: { sessions } });
  const { url, close } = await serve(server, { port: 0 });
  const address = kind === "http-sse" ? new URL("/sse", url).href : url;
  return {
    transport: { kind, id, title, era, url: address },
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
}): Promise<OpenTransport> {
  const program = createRequire(import.meta.url).resolve("#demo");
  const target = { command: process.execPath, args: [program] };
  return {
    // Keeps the installation path out of the report.
    transport: { kind: "stdio", id, title, era, target, endpoint: "node lethe/dist/demo.js" },
    close: async () => {},
  };
}
