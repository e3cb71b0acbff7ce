// Every local listener answers every request line that a client can write, and still serves the next client.
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { recordTraffic, toHar, toHtml, toMarkdown, toReport, toText } from "lethe/compare";
import { describe, expect, test } from "vitest";
import { operate, startUpstreams } from "../../packages/gateway/src/testing/operated.ts";

/** First lines as bytes in Latin-1. */
const lines: Readonly<Record<string, string>> = {
  "two slashes": "GET // HTTP/1.1",
  "three slashes": "GET /// HTTP/1.1",
  "a network-path reference": "GET //evil.example/mcp HTTP/1.1",
  "an invalid port": "GET //:99999/mcp HTTP/1.1",
  "an open bracket": "POST //[ HTTP/1.1",
  "an asterisk": "OPTIONS * HTTP/1.1",
  "an asterisk with GET": "GET * HTTP/1.1",
  "an absolute URL": "GET http://evil.example/mcp HTTP/1.1",
  "an absolute URL without host": "GET http:// HTTP/1.1",
  "an absolute URL with a bad host": "GET http://[/ HTTP/1.1",
  "another scheme": "GET file:///etc/passwd HTTP/1.1",
  "an authority": "CONNECT evil.example:443 HTTP/1.1",
  "no slash": "GET mcp HTTP/1.1",
  "only a query": "GET ? HTTP/1.1",
  "bad percent-encoding": "GET /%zz%/%ff?%=%ff HTTP/1.1",
  "bad percent-encoding below /admin/v1": "GET /admin/v1/upstreams/%ff%?%=%ff HTTP/1.1",
  "two slashes before /admin": "GET //admin/v1/upstreams HTTP/1.1",
  "dot segments": "GET /../../mcp/..%2f.. HTTP/1.1",
  "bytes above 127": "GET /\xff\xfe\x80 HTTP/1.1",
  "a lone question mark after the path": "GET /mcp?? HTTP/1.1",
  "a well-known path of two slashes": "GET /.well-known/oauth-protected-resource// HTTP/1.1",
  "a huge request line": `GET /${"a".repeat(1_000_000)} HTTP/1.1`,
  "an unknown method": "BREW /mcp HTTP/1.1",
  "no version": "GET /mcp",
  "HTTP/0.9": "GET /mcp HTTP/0.9",
  "no HTTP": "\x16\x03\x01\x02\x00\x01",
  "an upgrade": "GET /mcp HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket",
};

async function startServer() {
  const serving = await serve(createServer({ name: "s", version: "1.0.0" }), { port: 0 });
  return { url: serving.url, close: () => serving.close({ graceMs: 0 }) };
}

/** Returns the URL of the administration. */
async function startGateway(settings: object = {}) {
  const upstreams = await startUpstreams("fs");
  const gateway = await operate({ mcpServers: { fs: { url: upstreams.urls.fs } }, gateway: settings });
  async function close() {
    await gateway[Symbol.asyncDispose]();
    await upstreams[Symbol.asyncDispose]();
  }
  return { url: gateway.served.adminUrl, close };
}

/** Sends `line` and returns the response bytes. */
async function send(port: number, line: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.end(`${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`, "latin1");
  return text(socket).catch(() => "");
}

describe.each([
  ["a server", startServer],
  ["a gateway", () => startGateway()],
  ["the administration of a gateway on a port of its own", () => startGateway({ admin: { port: 0 } })],
])("%s", (_, start) => {
  test("a listener answers every request line without a server error, and then serves the next client", async () => {
    const { url, close } = await start();
    const answers: Record<string, string> = {};
    for (const [name, line] of Object.entries(lines)) {
      const answer = await send(Number(new URL(url).port), line);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? "none";
      // Only CONNECT may be closed without a response: there is nothing to tunnel to.
      if (!/^[2-4]/.test(status) && !(status === "none" && line.startsWith("CONNECT"))) answers[name] = status;
    }
    const next = await fetch(url);
    await close();
    expect(answers).toEqual({});
    expect(next.status).toBeLessThan(500);
  });
});

describe("the recording proxy", () => {
  test.each(Object.entries(lines))(
    "the recording proxy keeps its recording after %s, in every form of the report",
    async (_, line) => {
      const server = createHttpServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const traffic = await recordTraffic(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
      await send(Number(new URL(traffic.url).port), line);
      expect(await (await fetch(traffic.url)).text()).toBe("hello");
      const comparison = await traffic.finish();
      server.closeAllConnections();
      server.close();
      const [recording] = comparison.recordings;
      if (!recording) throw new Error("no recording");
      const { log } = toHar(recording) as { log: { entries: { request: { url: string } }[] } };
      const urls = log.entries.map(({ request }) => request.url);
      expect(urls).toContain(recording.endpoint);
      expect(urls.filter((url) => !URL.canParse(url))).toEqual([]);
      const report = toReport(comparison);
      for (const text of [toHtml(comparison), toMarkdown(report), toText(report)]) expect(text).toContain("/mcp");
    },
  );
});
