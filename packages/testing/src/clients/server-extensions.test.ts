// Extensions and apps of a server, as clients of both eras see them.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClientOptions } from "@lethe/client";
import { connectMemory, createClient } from "@lethe/client/edge";
import { apps as hostApps } from "@lethe/client/extensions";
import { connect } from "@lethe/client/node";
import { createServer, type Server } from "@lethe/server";
import type { ServerExtension } from "@lethe/server/extensions";
import { serve } from "@lethe/server/node";
import { afterAll, describe, expect, it, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "lethe-apps-"));
afterAll(() => rmSync(folder, { recursive: true }));

const info = { name: "shop", version: "1.0.0" };
const text = (result: { content: readonly object[] }) => (result.content[0] as { text?: string } | undefined)?.text;
const open = async (server: Server, options: ClientOptions = {}) =>
  createClient(await connectMemory("shop", server.dispatch), "shop", options);
const asHost = () => {
  const ui = hostApps();
  return { ui, options: { extensions: [ui] } };
};

describe("an extension of a server", () => {
  const custom: ServerExtension = {
    id: "com.example/custom",
    settings: { x: 1 },
    methods: { "com.example/custom.do": ({ params }) => ({ resultType: "complete", did: params.what }) },
    listTools: (tools, { isDeclared }) => (isDeclared ? tools : tools.slice(0, 1)),
    callTool: async ({ isDeclared }, next) => ({ ...(await next()), _meta: { isDeclared } }),
  };
  const declared = { capabilities: { extensions: { "com.example/custom": {} } } };

  it("is declared, answers its methods and changes tools for clients that declare it", async () => {
    const server = createServer(info).use(custom);
    server.tool("a", { handler: () => "a" }).tool("b", { handler: () => "b" });
    const client = await open(server, declared);
    expect((await client.discover()).capabilities.extensions).toMatchObject({ "com.example/custom": { x: 1 } });
    expect(await client.request("com.example/custom.do", { what: "it" })).toMatchObject({ did: "it" });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["a", "b"]);
    expect((await client.callTool("a"))._meta).toMatchObject({ isDeclared: true });
    const plain = await open(server);
    await expect(plain.request("com.example/custom.do", {})).rejects.toMatchObject({ code: -32021 });
    expect((await plain.listTools()).map(({ name }) => name)).toEqual(["a"]);
    expect((await plain.callTool("b"))._meta).toMatchObject({ isDeclared: false });
  });

  it("sets up its features when the server uses it, and is closed with the server", async () => {
    const close = vi.fn();
    const setUp = (server: Server) => void server.tool("made", { handler: () => "made" });
    const server = createServer(info).use({ id: "com.example/custom", setUp, close });
    expect(text(await (await open(server)).callTool("made"))).toBe("made");
    await server.close();
    expect(close).toHaveBeenCalledOnce();
  });

  it("is closed once, also if another one fails to close", async () => {
    const close = vi.fn();
    const failing = () => Promise.reject(new Error("still busy"));
    const server = createServer(info).use({ id: "com.example/a", close: failing }).use({ id: "com.example/b", close });
    await expect(server.close()).rejects.toThrow("still busy");
    await server.close();
    expect(close).toHaveBeenCalledOnce();
  });

  it("is rejected for an unknown or wrong member, an id without a prefix, and an id that is used already", () => {
    const server = createServer(info).use({ id: "com.example/used" });
    expect(() => server.use({ id: "com.example/used" })).toThrow(
      'extension "com.example/used": the server uses it already',
    );
    expect(() => server.use({ ...custom, listTools: [] } as never)).toThrow(
      'extension "com.example/custom": option "listTools": a function expected',
    );
    expect(() => server.use({ ...custom, onCall: () => {} } as never)).toThrow(
      'extension "com.example/custom": unknown option "onCall"',
    );
    expect(() => server.use({ id: "custom" })).toThrow('extension "custom": a prefix, a slash and a name expected');
  });
});

describe("an app of a server", () => {
  const cart = { description: "Shows the cart", handler: () => ({ items: 2 }) };

  it("is a tool and the page that it names, with what the page may use", async () => {
    const csp = { connectDomains: ["https://api.example.com"] };
    const server = createServer(info);
    server.app("cart", { html: "<h1>Cart</h1>", tool: cart, csp, permissions: { camera: {} }, prefersBorder: true });
    const { ui, options } = asHost();
    const client = await open(server, options);
    expect(client.server.capabilities.extensions).toMatchObject({
      "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] },
    });
    const [tool] = await client.listTools();
    const uri = "ui://shop/cart.html";
    expect(tool).toMatchObject({ name: "cart", _meta: { ui: { resourceUri: uri }, "ui/resourceUri": uri } });
    const app = tool && (await client.extension(ui).open(tool));
    expect(app).toMatchObject({ uri, html: "<h1>Cart</h1>", csp, permissions: { camera: {} } });
    const { contents } = await client.readResource(uri);
    expect(contents[0]).toMatchObject({
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { prefersBorder: true } },
    });
  });

  it("gives clients without apps a text instead, and no tools that only apps may call", async () => {
    const server = createServer(info);
    server.app("cart", {
      html: "",
      tool: cart,
      text: ({ structuredContent }) => `cart: ${JSON.stringify(structuredContent)}`,
    });
    server.app("poll", { html: "", tool: { handler: () => "polled" }, visibility: ["app"] });
    const plain = await open(server);
    expect(text(await plain.callTool("cart"))).toBe('cart: {"items":2}');
    expect((await plain.listTools()).map(({ name }) => name)).toEqual(["cart"]);
    const { ui, options } = asHost();
    const host = await open(server, options);
    const tools = await host.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["cart", "poll"]);
    expect(namesOf(host.extension(ui).forModel(tools))).toEqual(["cart"]);
    expect(text(await host.callTool("cart"))).toBe('{"items":2}');
  });

  it("calls the tools of its server by its host, but none that reserves itself for models", async () => {
    const server = createServer(info);
    server.app("cart", { html: "", tool: cart });
    server.app("order", { html: "", tool: { handler: () => "ordered" }, visibility: ["model"] });
    const { ui, options } = asHost();
    const host = await open(server, options);
    const [tool] = await host.listTools();
    const app = tool && (await host.extension(ui).open(tool));
    expect(await app?.callTool("cart")).toMatchObject({ structuredContent: { items: 2 } });
    await expect(app?.callTool("order")).rejects.toThrow("the tool order is not for apps");
  });

  it("reads its file for each request, and keeps the last text while the file is away", async () => {
    const file = join(folder, "page.html");
    writeFileSync(file, "one");
    const server = createServer(info);
    server.app("cart", { file, tool: cart });
    const client = await open(server, { cache: false });
    const read = async () => (await client.readResource("ui://shop/cart.html")).contents[0];
    writeFileSync(file, "two");
    expect(await read()).toMatchObject({ text: "two" });
    rmSync(file);
    expect(await read()).toMatchObject({ text: "two" });
  });

  it.each([
    ["2026-07-28", {}],
    ["2025-11-25", { era: "legacy" }],
  ] as const)("notifies subscribers of %s when its file changes, until the server is closed", async (_, era) => {
    const file = join(folder, `watched-${_}.html`);
    writeFileSync(file, "one");
    const server = createServer(info);
    server.app("cart", { file, tool: cart });
    server.app("still", { file, tool: cart, watch: false });
    const serving = await serve(server, { port: 0 });
    const client = await connect(serving.url, { ...era, cache: false });
    const changes = vi.fn();
    const resourceSubscriptions = ["ui://shop/cart.html", "ui://shop/still.html"];
    const subscription = await client.subscribe({ resourceSubscriptions }, changes);
    // As editors and builds do.
    writeFileSync(`${file}.new`, "two");
    renameSync(`${file}.new`, file);
    const changed = expect.objectContaining({ kind: "resource", uri: "ui://shop/cart.html" });
    await vi.waitFor(() => expect(changes).toHaveBeenCalledWith(changed), 10_000);
    expect((await client.readResource("ui://shop/cart.html")).contents[0]).toMatchObject({ text: "two" });
    expect(JSON.stringify(changes.mock.calls)).not.toContain("still");
    await subscription.close();
    await client.close();
    await serving.close();
    await server.close();
  });

  it("gives a legacy client that declares MCP Apps the result, and any other one the text", async () => {
    const server = createServer(info);
    server.app("cart", { html: "", tool: cart, text: () => "2 items" });
    const serving = await serve(server, { port: 0 });
    const plain = await connect(serving.url, { era: "legacy" });
    const host = await connect(serving.url, { era: "legacy", ...asHost().options });
    expect([text(await plain.callTool("cart")), text(await host.callTool("cart"))]).toEqual(["2 items", '{"items":2}']);
    await Promise.all([plain.close(), host.close()]);
    await serving.close();
  });

  it("does not change the results of another tool that replaces its own", async () => {
    const server = createServer(info);
    server.app("cart", { html: "", tool: cart, text: () => "2 items" });
    server.removeTool("cart");
    server.tool("cart", { handler: () => "another" });
    expect(text(await (await open(server)).callTool("cart"))).toBe("another");
  });

  it("shows a page that is served elsewhere in a frame, and allows its origin", async () => {
    const server = createServer(info);
    server.app("remote", { url: 'http://localhost:5173/app?a=1&b="2"', tool: cart });
    const [content] = (await (await open(server)).readResource("ui://shop/remote.html")).contents;
    expect(content).toMatchObject({ _meta: { ui: { csp: { frameDomains: ["http://localhost:5173"] } } } });
    expect((content as { text: string }).text).toContain("http://localhost:5173/app?a=1&amp;b=&quot;2&quot;");
  });

  it.each([
    [{ tool: cart }, 'app "x": one of "html", "file" and "url" expected, got none'],
    [{ tool: cart, html: "", url: "http://a.example" }, "got html and url"],
    [{ tool: cart, url: "javascript:alert(1)" }, "url: an http or https URL expected"],
    [{ tool: cart, file: "/does/not/exist.html" }, "file: cannot read /does/not/exist.html"],
    [{ tool: cart, html: "", uri: "https://a.example" }, "uri: a URI that begins with ui:// expected"],
    [{ tool: cart, html: "", visibility: ["human"] }, 'visibility: "model" or "app" expected, got "human"'],
    [{ tool: cart, html: "", visibility: [] }, 'visibility: "model" or "app" expected, got an empty array'],
    [{ tool: cart, html: 5 }, "html: a string or a function expected, got a number"],
    [{ tool: cart, file: 5 }, "file: a path or a URL expected, got a number"],
    [{ tool: cart, html: "", permission: {} }, 'unknown option "permission"; did you mean "permissions"?'],
    [{ html: "" }, 'option "tool": an object expected'],
  ])("is rejected with an error that names the option: %j", (options, message) => {
    expect(() => createServer(info).app("x", options as never)).toThrow(message);
  });
});

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name);
}
