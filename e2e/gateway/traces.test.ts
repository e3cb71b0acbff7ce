// Traces through the gateway, with the OpenTelemetry SDK that an operator loads before it.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningGateway, root, startWrapWith } from "../processes/lethe.ts";

let folder: string;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-traces-"));
});
afterEach(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

const serverFile = (name: string) => join(root, "e2e/servers", name);

async function start(env: Record<string, string>): Promise<(traceparent?: string) => Promise<unknown>> {
  gateway = await startWrapWith(env, "--", process.execPath, serverFile("traced.mjs"));
  const { url } = gateway;
  return async (traceparent) => {
    const client = await connect(url);
    const { content } = await client.callTool("trace", {}, traceparent === undefined ? {} : { trace: { traceparent } });
    await client.close();
    return (content[0] as { text: string }).text;
  };
}

const callerTrace = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";

test("a server receives the gateway's span of the request to it, below the span of the caller's request (H-4)", async () => {
  const spanFile = join(folder, "spans.jsonl");
  const call = await start({ SPAN_FILE: spanFile, NODE_OPTIONS: `--import=${serverFile("span-file.mjs")}` });
  const heard = await call(`00-${callerTrace}-${callerSpan}-01`);
  const spans = (await readFile(spanFile, "utf8")).trim().split("\n");
  const [serverKind, clientKind] = [1, 2];
  const spanOf = (kind: number) =>
    spans
      .map((line) => JSON.parse(line))
      .find((span) => span.name === "tools/call trace" && span.kind === kind && span.traceId === callerTrace);
  expect(spanOf(serverKind)).toMatchObject({ parentId: callerSpan });
  expect(spanOf(clientKind)).toMatchObject({ parentId: spanOf(serverKind).spanId });
  expect(heard).toBe(`00-${callerTrace}-${spanOf(clientKind).spanId}-01`);
  expect(await call()).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

test("without an SDK the gateway forwards the caller's trace unchanged and never creates one", async () => {
  const call = await start({});
  expect(await call(`00-${callerTrace}-${callerSpan}-01`)).toBe(`00-${callerTrace}-${callerSpan}-01`);
  expect(await call()).toBe("undefined");
});

test("a tracing SDK with another API version is logged, and calls are not affected", async () => {
  const other = join(folder, "other-api.mjs");
  await writeFile(other, 'globalThis[Symbol.for("opentelemetry.js.api.1")] = { version: "1.0.0", trace: {} };');
  const call = await start({ NODE_OPTIONS: `--import=${other}` });
  expect(await call()).toBe("undefined");
  expect(gateway?.output.stderr).toContain("loaded for version 1.0.0 of its API");
});
