// What an HTTP edge rejects and how, on both platforms (A.5, B.1, B.3, B-35).
import { invalidParams, McpError, methodNotFound, missingClientCapability, type Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { describeMatrix, type Sent } from "../testing/http-platforms.ts";
import { callOf, metaOf, requestOf, version } from "../testing/messages.ts";
import type { HttpOptions } from "./http-options.ts";
import type { Servable } from "./servable.ts";

const complete: Result = { resultType: "complete", content: [] };
const served: Servable = { dispatch: async () => complete };

async function* slowly(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('{"jsonrpc":');
  await new Promise(() => {});
}

async function* large(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 4; piece++) yield new TextEncoder().encode(" ".repeat(100));
}

describeMatrix("a refusal", (platform) => {
  async function refusal(sent: Sent, options?: HttpOptions, servable: Servable = served) {
    await using client = await platform.open(servable, options);
    const answer = await client.send(sent);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) };
  }

  it.each<[string, Sent, number, number, unknown]>([
    ["a body that is not JSON (A.5)", { body: '{"jsonrpc":' }, 400, -32700, undefined],
    ["an empty body", { body: "" }, 400, -32700, undefined],
    ["an array (B-6)", { body: [callOf()] }, 400, -32600, undefined],
    ["a number", { body: "7" }, 400, -32600, undefined],
    ["null", { body: "null" }, 400, -32600, undefined],
    ["a response (B-6)", { body: { jsonrpc: "2.0", id: 5, result: {} } }, 400, -32600, undefined],
    ["an error response", { body: { jsonrpc: "2.0", error: { code: 1, message: "x" } } }, 400, -32600, undefined],
    ["an id that is null (A-2)", { body: callOf("add", null) }, 400, -32600, undefined],
    ["an id that is a fraction (J-72)", { body: callOf("add", 1.5) }, 400, -32600, undefined],
    ["another JSON-RPC", { body: { ...callOf("add", 4), jsonrpc: "1.0" } }, 400, -32600, 4],
    ["params that are an array", { body: { ...callOf("add", 4), params: [] } }, 400, -32600, 4],
    ["no params (A-20)", { body: { jsonrpc: "2.0", id: "x", method: "tools/list" } }, 400, -32602, "x"],
    ["no _meta, right headers (J-25)", { body: requestOf("tools/list", { _meta: undefined }) }, 400, -32602, 1],
    [
      "no _meta, and a version header that no edge serves (D-37)",
      { body: requestOf("tools/list", { _meta: undefined }), headers: { "mcp-protocol-version": "1999-01-01" } },
      400,
      -32022,
      1,
    ],
    [
      "no capabilities (A-20)",
      { body: requestOf("tools/list", { _meta: metaOf({ "io.modelcontextprotocol/clientCapabilities": undefined }) }) },
      400,
      -32602,
      1,
    ],
    [
      "no version in the body",
      { body: requestOf("tools/list", { _meta: metaOf({ "io.modelcontextprotocol/protocolVersion": undefined }) }) },
      400,
      -32602,
      1,
    ],
    ["no version header (B-33)", { body: callOf(), headers: { "mcp-protocol-version": undefined } }, 400, -32020, 1],
    [
      "another version header (B-32)",
      { body: callOf(), headers: { "mcp-protocol-version": "2025-11-25" } },
      400,
      -32020,
      1,
    ],
    [
      "an unknown version in the body only (J-25)",
      { body: requestOf("tools/list", { _meta: metaOf({ "io.modelcontextprotocol/protocolVersion": "v999" }) }) },
      400,
      -32020,
      1,
    ],
    [
      "the version header twice (J-40)",
      { body: callOf(), headers: { "mcp-protocol-version": [version, version] } },
      400,
      -32020,
      1,
    ],
    ["no Mcp-Method (B-31)", { body: callOf(), headers: { "mcp-method": undefined } }, 400, -32020, 1],
    ["Mcp-Method in capitals (B-30)", { body: callOf(), headers: { "mcp-method": "TOOLS/CALL" } }, 400, -32020, 1],
    [
      "Mcp-Method twice (J-40)",
      { body: callOf(), headers: { "mcp-method": ["tools/call", "tools/call"] } },
      400,
      -32020,
      1,
    ],
    ["no Mcp-Name", { body: callOf(), headers: { "mcp-name": undefined } }, 400, -32020, 1],
    ["another Mcp-Name", { body: callOf(), headers: { "mcp-name": "sub" } }, 400, -32020, 1],
    ["Mcp-Name twice (J-40)", { body: callOf(), headers: { "mcp-name": ["add", "add"] } }, 400, -32020, 1],
    ["GET (B-1)", { verb: "GET" }, 405, -32600, undefined],
    ["DELETE (B-1)", { verb: "DELETE" }, 405, -32600, undefined],
    ["a form (B-9)", { body: callOf(), headers: { "content-type": "text/plain" } }, 415, -32600, undefined],
    ["no content type (B-9)", { body: callOf(), headers: { "content-type": "" } }, 415, -32600, undefined],
    ["a compressed body", { body: callOf(), headers: { "content-encoding": "gzip" } }, 415, -32600, undefined],
    ["a foreign origin (B-2)", { body: callOf(), headers: { origin: "https://evil.example" } }, 403, -32600, undefined],
    ["a foreign origin on any verb (B-2)", { verb: "GET", headers: { origin: "null" } }, 403, -32600, undefined],
    [
      "a foreign origin's preflight",
      { verb: "OPTIONS", headers: { origin: "http://localhost.evil.example" } },
      403,
      -32600,
      undefined,
    ],
  ])("%s", async (_what, sent, status, code, id) => {
    const { status: got, body } = await refusal(sent);
    expect({ status: got, code: body.error.code, id: body.id }).toEqual({ status, code, id });
    expect("id" in body).toBe(id !== undefined);
  });

  it("an unknown version in header and metadata answers -32022 with the supported versions (B-32, A-44)", async () => {
    const body = requestOf("server/discover", { _meta: metaOf({ "io.modelcontextprotocol/protocolVersion": "v999" }) });
    const { status, body: answer } = await refusal({ body, headers: { "mcp-protocol-version": "v999" } });
    expect(status).toBe(400);
    expect(answer.error).toMatchObject({ code: -32022, data: { supported: [version], requested: "v999" } });
  });

  it.each([undefined, "2025-06-18"])(
    "a legacy initialize with version header %s gets the supported versions (D-5)",
    async (header) => {
      const body = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };
      const { status, body: answer } = await refusal({ body, headers: { "mcp-protocol-version": header } });
      expect(status).toBe(400);
      expect(answer).toMatchObject({
        id: 0,
        error: { code: -32022, data: { supported: [version], requested: "2025-11-25" } },
      });
    },
  );

  it("a handshake with modern metadata or a modern version header is a modern request (D.4, J-26)", async () => {
    const servable: Servable = {
      dispatch: async ({ method }) => {
        throw methodNotFound(method);
      },
    };
    expect(await refusal({ body: requestOf("initialize") }, {}, servable)).toMatchObject({ status: 404 });
    const bare = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } };
    expect((await refusal({ body: bare }, {}, servable)).body.error.code).toBe(-32602);
  });

  it.each([
    [methodNotFound("x"), 404, -32601],
    [missingClientCapability({ sampling: {} }), 400, -32021],
    [invalidParams("no such tool"), 200, -32602],
    [new McpError(-32603, "internal error"), 200, -32603],
    [new McpError(7, "an author's own"), 200, 7],
  ])(
    "an McpError of the server keeps its code and gets the matching status: %s (A.5, A-48, B-34)",
    async (error, status, code) => {
      const { status: got, body } = await refusal({ body: callOf() }, {}, { dispatch: () => Promise.reject(error) });
      expect({ status: got, code: body.error.code, id: body.id }).toEqual({ status, code, id: 1 });
    },
  );

  it.each<[string, Servable["dispatch"]]>([
    ["rejects", () => Promise.reject(new Error("postgres://admin:secret@db"))],
    [
      "throws",
      () => {
        throw new TypeError("secret");
      },
    ],
    ["answers what is not JSON", async () => ({ resultType: "complete", secret: 1n })],
    ["answers nothing", async () => undefined as unknown as Result],
  ])("a dispatch that %s is an internal error, and only the log gets the details", async (_what, dispatch) => {
    const onError = vi.fn();
    const { status, body } = await refusal({ body: callOf() }, { onError }, { dispatch });
    expect(status).toBe(200);
    expect(body).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "internal error" } });
    expect(onError).toHaveBeenCalledOnce();
  });

  it("a log that throws does not fail the request", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const options: HttpOptions = {
      onError() {
        throw new Error("disk full");
      },
    };
    const { body } = await refusal({ body: callOf() }, options, { dispatch: () => Promise.reject(new Error("x")) });
    expect(body.error.code).toBe(-32603);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
  });

  it("an error whose data cannot be serialised is an internal error", async () => {
    const error = new McpError(-32602, "x", { data: { secret: 1n } });
    const { body } = await refusal({ body: callOf() }, {}, { dispatch: () => Promise.reject(error) });
    expect(body.error).toEqual({ code: -32603, message: "internal error" });
  });

  it("a body whose Content-Length exceeds the limit is rejected unread (B-10)", async () => {
    const dispatch = vi.fn(served.dispatch);
    const { status, headers } = await refusal({ body: callOf() }, { maxBodyBytes: 50 }, { dispatch });
    expect(status).toBe(413);
    expect(dispatch).not.toHaveBeenCalled();
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("a body over the limit is rejected without a Content-Length (B-10)", async () => {
    expect(await refusal({ body: large() }, { maxBodyBytes: 250 })).toMatchObject({ status: 413 });
    expect(await refusal({ body: large() }, { maxBodyBytes: 400 })).toMatchObject({ status: 400 });
  });

  it("a body that does not arrive answers 408", async () => {
    expect(await refusal({ body: slowly() }, { bodyTimeoutMs: 40 })).toMatchObject({ status: 408 });
  });

  it("an answer 405 lists the allowed verbs (B-1)", async () => {
    expect((await refusal({ verb: "GET" })).headers.get("allow")).toBe("POST");
  });

  it("an unknown path answers 404 without a JSON-RPC body (B-34)", async () => {
    await using client = await platform.open({ "/a": served, "/b/c": served });
    for (const [path, status] of [
      ["/a", 200],
      ["/b/c?x=1", 200],
      ["/b", 404],
      ["/", 404],
    ] as const) {
      const answer = await client.send({ path, body: callOf() });
      expect([path, answer.status]).toEqual([path, status]);
      if (status === 404) expect(await answer.text()).toBe("not found");
    }
  });

  it("onRejected gets the status of a rejected request, and hears nothing of a request that its server failed", async () => {
    const onRejected = vi.fn();
    await refusal({ body: "7" }, { onRejected });
    await refusal({ verb: "GET" }, { onRejected });
    await refusal({ body: callOf() }, { onRejected }, { dispatch: () => Promise.reject(invalidParams("x")) });
    expect(onRejected.mock.calls.map(([status]) => status)).toEqual([400, 405]);
  });

  it("the option path restricts a single server to one path", async () => {
    await using client = await platform.open(served, { path: "/mcp" });
    expect((await client.send({ path: "/mcp", body: callOf() })).status).toBe(200);
    expect((await client.send({ path: "/other", body: callOf() })).status).toBe(404);
  });
});
