// The code for older clients may fail to load, as when no file descriptor is left, and load later.
import { afterEach, expect, it, vi } from "vitest";
import { createServer } from "../create-server.ts";
import { createStdioEdge } from "../stdio/stdio-edge.ts";

const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};

afterEach(() => vi.doUnmock("./legacy-edge.ts"));

function failToLoad(): void {
  vi.doMock("./legacy-edge.ts", () => {
    throw new Error("too many open files");
  });
}

it("an older client is served over HTTP after the code for it could not be loaded for another one", async () => {
  const errors: unknown[] = [];
  const server = createServer(
    { name: "test", version: "1.0.0" },
    { legacy: { onError: (error) => errors.push(error) } },
  );
  const post = () =>
    server.fetch(
      new Request("http://localhost/mcp", {
        ...{ method: "POST", body: JSON.stringify(initialize) },
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      }),
    );
  failToLoad();
  expect((await post()).status).toBe(500);
  expect(errors).toHaveLength(1);
  vi.doUnmock("./legacy-edge.ts");
  expect((await post()).status).toBe(200);
  await server.close();
});

it("an older client over stdio that repeats its initialize is served after the code for it could not be loaded", async () => {
  const server = createServer({ name: "test", version: "1.0.0" }, { legacy: { onError: () => {} } });
  const lines: { error?: unknown; result?: unknown }[] = [];
  const write = (text: string): boolean => lines.push(JSON.parse(text)) > 0;
  const edge = createStdioEdge(server, {
    ...{ write, heldBytes: () => 0, drained: () => Promise.resolve() },
    schedule: (flush) => queueMicrotask(flush),
  });
  failToLoad();
  edge.receiveLine(JSON.stringify(initialize));
  await vi.waitUntil(() => lines.length === 1);
  expect(lines[0]?.error).toBeDefined();
  vi.doUnmock("./legacy-edge.ts");
  edge.receiveLine(JSON.stringify(initialize));
  await vi.waitUntil(() => lines.length === 2);
  expect(lines[1]?.result).toMatchObject({ protocolVersion: "2025-06-18" });
  await edge.finish();
});

it("an input over stdio ends although the code for its older client could not be loaded", async () => {
  const server = createServer({ name: "test", version: "1.0.0" }, { legacy: { onError: () => {} } });
  const write = (): boolean => true;
  const edge = createStdioEdge(server, {
    ...{ write, heldBytes: () => 0, drained: () => Promise.resolve() },
    schedule: (flush) => queueMicrotask(flush),
  });
  failToLoad();
  edge.receiveLine(JSON.stringify(initialize));
  await edge.finish();
});
