// Servers that do not do what the specification says, as they are met in the wild: the right verdict, or an honest UNKNOWN.
import { afterEach, describe, expect, it } from "vitest";
import { type ProbeOptions, probe } from "./probe.ts";
import type { ProbeReport } from "./report/report.ts";
import {
  answerLegacy,
  answerModern,
  createStateful,
  type Handle,
  isModern,
  type OddServer,
  ok,
  refuse,
  startOddServer,
  withSession,
} from "./testing/odd-server.ts";

let server: OddServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function probeOdd(
  handle: Handle,
  options: ProbeOptions = {},
  headers: Record<string, string> = {},
): Promise<ProbeReport> {
  server = await startOddServer(handle);
  const report = await probe({ url: server.url, headers }, { timeoutMs: 2_000, ...options });
  expect(report.requests).toBeLessThanOrEqual(16);
  expect(server.methods()).not.toContain("tools/call");
  await expect.poll(() => server?.connections()).toBe(0);
  return report;
}

const legacyOf = ({ eras: { legacy } }: ProbeReport) => [legacy.word, legacy.contract];

describe("session contracts of the legacy era", () => {
  it("a server that issues no ids is STATELESS with the contract none", async () => {
    const report = await probeOdd(answerLegacy);
    expect(legacyOf(report)).toEqual(["STATELESS", "none"]);
    expect(report).toMatchObject({
      word: "STATELESS",
      era: "legacy",
      transport: "streamable-http",
      confidence: "high",
    });
    expect(report.advice.pooling).toBe("shared");
  });

  it("a server that requires its ids is STATEFUL with the contract enforced, and every session is ended", async () => {
    const handle = createStateful();
    const report = await probeOdd(handle);
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
    expect(handle.sessions.size).toBe(0);
    expect(report.leftovers).toEqual([]);
  });

  it("with `sessions: false`, the probe starts no session and the legacy era stays unknown", async () => {
    const report = await probeOdd(createStateful(), { sessions: false });
    expect(server?.methods()).toEqual(["server/discover"]);
    expect(report.eras).toMatchObject({ modern: { isSpoken: false }, legacy: { isSpoken: null, word: "UNKNOWN" } });
    await server?.close();
    const modern = await probeOdd(answerModern, { sessions: false });
    expect(modern).toMatchObject({ word: "STATELESS", transport: "streamable-http" });
    expect(server?.methods()).not.toContain("initialize");
  });

  it.each([
    ["401 with a JSON-RPC error", refuse(null, 401, -32000)],
    ["403", { status: 403, body: "no" }],
    ["500 with a JSON-RPC error", refuse(null, 500, -32603)],
    ["500 with a page", { status: 500, body: "<h1>TypeError</h1>" }],
    ["503 with a JSON-RPC error", refuse(null, 503, -32000)],
    ["200 with the error code 0", refuse(null, 200, 0)],
    ["400 with a text", { status: 400, body: "Invalid session ID" }],
  ])("a server that rejects a missing session id with %s has the contract enforced", async (_, missing) => {
    expect(legacyOf(await probeOdd(createStateful({ missing })))).toEqual(["STATEFUL", "enforced"]);
  });

  it("a server that gives a request without an id a new session is STATEFUL and implicit, and that session is ended too", async () => {
    const sessions = new Set<string>();
    const report = await probeOdd((asked) => {
      const { sessionId, method } = asked;
      if (method === "DELETE") sessions.delete(sessionId ?? "");
      if (sessionId !== undefined && sessions.has(sessionId)) return answerLegacy(asked);
      if (method === "DELETE" || isModern(asked)) return answerLegacy(asked);
      const created = crypto.randomUUID();
      sessions.add(created);
      return withSession(answerLegacy(asked), created);
    });
    expect(legacyOf(report)).toEqual(["STATEFUL", "implicit"]);
    expect(sessions.size).toBe(0);
  });

  it("a server that answers lists but not ping without an id is STATEFUL with the contract enforced", async () => {
    const stateful = createStateful();
    const report = await probeOdd((asked) => (asked.method === "tools/list" ? answerLegacy(asked) : stateful(asked)));
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
    expect(stateful.sessions.size).toBe(0);
  });

  it("a server that requires an id and accepts any well-formed one has the contract soft", async () => {
    const report = await probeOdd((asked) => {
      const { method, sessionId, id } = asked;
      if (method === "initialize") return withSession(answerLegacy(asked), `mcp-session-${crypto.randomUUID()}`);
      return /^mcp-session-[0-9a-f-]{36}$/.test(sessionId ?? "") ? answerLegacy(asked) : refuse(id, 400, -32602);
    });
    expect(legacyOf(report)).toEqual(["STATELESS", "soft"]);
    expect(report.advice.pooling).toBe("id-per-caller");
  });

  it("a server that issues ids and never checks them is STATELESS and optional", async () => {
    const report = await probeOdd((asked) =>
      asked.method === "initialize" ? withSession(answerLegacy(asked), crypto.randomUUID()) : answerLegacy(asked),
    );
    expect(legacyOf(report)).toEqual(["STATELESS", "optional"]);
  });

  it("a server that accepts missing ids but no wrong ones is STATEFUL, optional and checked", async () => {
    const stateful = createStateful();
    const report = await probeOdd((asked) => {
      const isBare = asked.sessionId === undefined && asked.method !== "initialize";
      return isBare ? answerLegacy(asked) : stateful(asked);
    });
    expect(legacyOf(report)).toEqual(["STATEFUL", "optional"]);
    expect(report.eras.legacy.isChecked).toBe(true);
  });

  it("a server that requires a client-made id has the contract soft", async () => {
    const report = await probeOdd((asked) =>
      asked.sessionId === undefined ? refuse(asked.id, 400, -32000) : answerLegacy(asked),
    );
    expect(legacyOf(report)).toEqual(["STATELESS", "soft"]);
  });

  it("a server that accepts one session in its lifetime is STATEFUL and single-tenant", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) =>
      asked.method === "initialize" && handle.sessions.size > 0 ? refuse(asked.id, 400, -32600) : handle(asked),
    );
    expect(legacyOf(report)).toEqual(["STATEFUL", "single-tenant"]);
    expect(handle.sessions.size).toBe(0);
  });

  it("a server whose only session belongs to another client is STATEFUL and single-tenant, and that session stays open", async () => {
    const handle = createStateful();
    handle.sessions.add("somebody-else");
    const report = await probeOdd((asked) =>
      asked.method === "initialize" ? refuse(asked.id, 400, -32600) : handle(asked),
    );
    expect(legacyOf(report)).toEqual(["STATEFUL", "single-tenant"]);
    expect(report.eras.legacy.confidence).toBe("medium");
    expect([...handle.sessions]).toEqual(["somebody-else"]);
  });

  it("a server whose id works only once is UNKNOWN", async () => {
    const handle = createStateful();
    let lists = 0;
    const report = await probeOdd((asked) => {
      if (asked.method === "tools/list" && asked.sessionId !== undefined) lists += 1;
      return lists > 1 ? refuse(asked.id, 404, -32001) : handle(asked);
    });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unstable" } });
  });

  it("the probe uses ping if the list fails for other reasons", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) =>
      asked.method === "tools/list" ? refuse(asked.id, 200, -32603) : handle(asked),
    );
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
  });
});

it("one JSON-RPC error counts as a refusal, under any status", async () => {
  const sessions = createStateful({ missing: refuse(null, 500, -32603), foreign: refuse(null, 500, -32603) });
  const report = await probeOdd(sessions);
  expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
  expect(report.evidence.map(({ what }) => what)).not.toContain("tools/list without a session id again");
});

describe("eras over HTTP", () => {
  it("a modern server is STATELESS, and its refusal of initialize is reported (D-5)", async () => {
    const report = await probeOdd((asked) =>
      isModern(asked) ? answerModern(asked) : refuse(asked.id, 400, -32022, { supported: ["2026-07-28"] }),
    );
    expect(report).toMatchObject({ word: "STATELESS", era: "modern", eras: { legacy: { isSpoken: false } } });
    expect(report.requests).toBe(4);
  });

  it("a server of both eras has the verdict of the modern era, and the report contains the legacy one too", async () => {
    const stateful = createStateful();
    const report = await probeOdd((asked) => (isModern(asked) ? answerModern(asked) : stateful(asked)));
    expect(report).toMatchObject({ word: "STATELESS", era: "modern" });
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
    expect(report.advice).toMatchObject({ pooling: "pass-through", era: "modern" });
  });

  it("a legacy server that answers modern list requests is not modern", async () => {
    const report = await probeOdd((asked) => answerLegacy(asked));
    expect(report.eras.modern.isSpoken).toBe(false);
  });

  it("a server that announces the modern era but refuses its requests is not modern", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) => {
      if (!isModern(asked)) return handle(asked);
      return asked.method === "server/discover"
        ? answerModern(asked)
        : refuse(asked.id, 400, -32022, { supported: ["2025-11-25"] });
    });
    expect(report).toMatchObject({ word: "STATEFUL", era: "legacy", eras: { modern: { isSpoken: false } } });
  });

  it.each([
    ["another error", -32603, undefined],
    ["its own revision", -32022, { supported: ["2026-07-28"] }],
  ])("a modern server that refuses its list with %s is UNKNOWN", async (_, code, data) => {
    const handle = createStateful();
    const report = await probeOdd((asked) => {
      if (!isModern(asked)) return handle(asked);
      return asked.method === "server/discover" ? answerModern(asked) : refuse(asked.id, 400, code, data);
    });
    expect(report).toMatchObject({ word: "UNKNOWN", era: "modern", problem: { reason: "refused" } });
    expect(report.eras.modern).toMatchObject({ isSpoken: true, word: "UNKNOWN" });
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
  });

  it("the probe opens no event stream at a modern server without initialize", async () => {
    const report = await probeOdd((asked) => (isModern(asked) ? answerModern(asked) : refuse(asked.id, 404, -32601)));
    expect(report.eras.legacy).toMatchObject({ isSpoken: false, word: "UNKNOWN" });
    expect(server?.asked.map(({ via }) => via)).not.toContain("GET");
  });

  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", undefined],
  ])("a server of %s gets the version header only if its revision has it (%s)", async (protocolVersion, told) => {
    const report = await probeOdd((asked) => {
      if (asked.method !== "initialize") return answerLegacy(asked);
      return ok(asked.id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } });
    });
    expect(report.eras.legacy.revisions).toEqual([protocolVersion]);
    const list = server?.asked.find(({ method, params }) => method === "tools/list" && params._meta === undefined);
    expect(list?.headers["mcp-protocol-version"]).toBe(told);
  });

  it.each([
    ["resources", { resources: {} }, "resources/list"],
    ["prompts", { prompts: {} }, "prompts/list"],
    ["nothing", {}, "ping"],
  ])("the probe requests the list of a server that offers %s", async (_, capabilities, method) => {
    const report = await probeOdd((asked) => {
      if (isModern(asked)) return refuse(asked.id, 400, -32000);
      if (asked.method === "initialize") {
        const serverInfo = { name: "x", version: "1" };
        return ok(asked.id, { protocolVersion: "2025-11-25", capabilities, serverInfo });
      }
      return asked.method === method ? ok(asked.id, {}) : answerLegacy({ ...asked, method: "unknown" });
    });
    expect(legacyOf(report)).toEqual(["STATELESS", "none"]);
    expect(server?.methods().filter((one) => one === method)).toHaveLength(2);
  });

  it("the probe retries once after -32022 that offers the refused revision (J-22)", async () => {
    let discovers = 0;
    const report = await probeOdd((asked) => {
      if (asked.method === "server/discover" && ++discovers === 1) {
        return refuse(asked.id, 400, -32022, { supported: ["2026-07-28"] });
      }
      return isModern(asked) ? answerModern(asked) : refuse(asked.id, 404, -32601);
    });
    expect(report).toMatchObject({ word: "STATELESS", era: "modern" });
    expect(discovers).toBe(2);
  });

  it("a server of a later revision is modern and UNKNOWN", async () => {
    const report = await probeOdd((asked) => refuse(asked.id, 400, -32022, { supported: ["2031-01-01"] }));
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "no-common-revision" } });
    expect(report.eras.modern).toMatchObject({ isSpoken: true, revisions: ["2031-01-01"] });
  });

  it("the probe continues after 500 for server/discover", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) =>
      asked.method === "server/discover" ? { status: 500, body: "oops" } : handle(asked),
    );
    expect(report.word).toBe("STATEFUL");
  });

  it("for a legacy server that hangs at server/discover, the modern era stays unknown", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) => (asked.method === "server/discover" ? undefined : handle(asked)), {
      timeoutMs: 800,
    });
    expect(report).toMatchObject({ word: "STATEFUL", era: "legacy", eras: { modern: { isSpoken: null } } });
  });

  it("the probe also ends sessions that come with refusals", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) => {
      if (isModern(asked)) return answerModern(asked);
      if (asked.sessionId !== undefined || asked.method === "initialize") return handle(asked);
      const leaked = crypto.randomUUID();
      handle.sessions.add(leaked);
      return withSession(refuse(asked.id, 400, -32600), leaked);
    });
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
    expect(handle.sessions.size).toBe(0);
  });

  it("an id on an error response is not reported as a session", async () => {
    const handle = createStateful();
    const report = await probeOdd((asked) => {
      if (isModern(asked)) return withSession(refuse(asked.id, 400, -32600), crypto.randomUUID());
      return handle(asked);
    });
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
    expect(report.leftovers).toEqual([]);
    expect(handle.sessions.size).toBe(0);
  });

  it.each([302, 404, 405])("sessions that the server does not end (%d) are reported", async (status) => {
    const handle = createStateful();
    const report = await probeOdd((asked) => (asked.method === "DELETE" ? { status } : handle(asked)));
    expect(report.leftovers).toHaveLength(2);
    expect(report.leftovers[0]).toMatchObject({
      answer: String(status),
      sessionId: expect.stringMatching(/^.{4}\*\*\*$/),
    });
  });
});

describe("answers without evidence", () => {
  it.each([
    ["401", { status: 401, headers: { "www-authenticate": "Bearer" } }, "unauthorized"],
    ["403", { status: 403 }, "forbidden"],
    ["302", { status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } }, "redirect"],
    ["429", { status: 429, headers: { "retry-after": "7" } }, "rate-limited"],
    ["503 of a load balancer", { status: 503, body: "no upstream" }, "unavailable"],
    ["a login page with 200", { body: "<form>", headers: { "content-type": "text/html" } }, "not-mcp"],
    ["404", { status: 404, body: "not found" }, "refused"],
    ["a broken connection", { isBroken: true }, "lost"],
  ])("%s gives UNKNOWN with a reason and advice", async (_, reply, reason) => {
    const report = await probeOdd(() => reply);
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason, advice: expect.stringMatching(/.{10}/) } });
    expect(report.eras).toMatchObject({ modern: { word: "UNKNOWN" }, legacy: { word: "UNKNOWN" } });
    expect(report.advice.pooling).toBe("session-per-key");
  });

  it("the probe follows no redirect", async () => {
    await probeOdd(({ path }) => ({ status: 307, headers: { location: path === "/mcp" ? "/other" : "/mcp" } }));
    expect(server?.asked.map(({ path }) => path)).toEqual(["/mcp"]);
  });

  it("a path without an MCP server leaves both eras unknown", async () => {
    const report = await probeOdd(() => ({ status: 404, body: "<h1>not found</h1>" }));
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
    expect([report.eras.modern.isSpoken, report.eras.legacy.isSpoken]).toEqual([null, null]);
  });

  it("a server that never answers is UNKNOWN", async () => {
    const report = await probeOdd(() => undefined, { timeoutMs: 100 });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "timeout" } });
  });

  it("an unreachable server is UNKNOWN after one request", async () => {
    const gone = await startOddServer(answerLegacy);
    await gone.close();
    const report = await probe({ url: gone.url });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unreachable" }, requests: 1 });
  });

  it("an https URL of an http server is UNKNOWN, and the advice names the scheme", async () => {
    const plain = await startOddServer(answerLegacy);
    const report = await probe({ url: plain.url.replace("http:", "https:") });
    await plain.close();
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unreachable" }, requests: 1 });
    expect(report.problem?.message).toContain("the address may be http, not https");
  });

  it("a session id in the headers of the target does not affect the trials", async () => {
    const handle = createStateful();
    const report = await probeOdd(handle, {}, { "Mcp-Session-Id": "mine", "X-Mine": "1" });
    expect(report).toMatchObject({ word: "STATEFUL", eras: { legacy: { contract: "enforced" } } });
    expect(server?.asked.every(({ headers }) => headers["x-mine"] === "1")).toBe(true);
    expect(server?.asked.filter(({ sessionId }) => sessionId === "mine")).toEqual([]);
  });

  it("a load balancer that answers every other request with 503 gives no verdict", async () => {
    const handle = createStateful();
    let lists = 0;
    const report = await probeOdd((asked) => {
      if (asked.method === "tools/list" && ++lists % 2 === 0) return { status: 503, body: "busy" };
      return handle(asked);
    });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unavailable" } });
    expect(handle.sessions.size).toBe(0);
  });

  it("intermittent failures give no verdict: a 500 without a JSON-RPC error must happen twice", async () => {
    let bare = 0;
    const report = await probeOdd((asked) => {
      if (asked.method === "initialize") return withSession(answerLegacy(asked), crypto.randomUUID());
      if (asked.method === "tools/list" && asked.sessionId === undefined && ++bare === 1)
        return { status: 500, body: "oops" };
      return answerLegacy(asked);
    });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "unstable" } });
  });

  it("a list that fails with and without the session id proves no session", async () => {
    const report = await probeOdd((asked) => {
      if (asked.method === "initialize") return withSession(answerLegacy(asked), crypto.randomUUID());
      return ["tools/list", "ping"].includes(asked.method) ? refuse(asked.id, 400, -32000) : answerLegacy(asked);
    });
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "refused" } });
  });

  it("message texts that mention sessions are no evidence", async () => {
    const report = await probeOdd((asked) =>
      asked.method === "server/discover"
        ? {
            status: 400,
            body: {
              jsonrpc: "2.0",
              id: asked.id,
              error: { code: -32000, message: "Session not found: initialize first" },
            },
          }
        : answerLegacy(asked),
    );
    expect(legacyOf(report)).toEqual(["STATELESS", "none"]);
  });

  it("a result under an error status is a refusal", async () => {
    const handle = createStateful({ missing: { status: 400, body: { jsonrpc: "2.0", id: 0, result: {} } } });
    const report = await probeOdd((asked) => {
      const reply = handle(asked);
      if (reply?.status !== 400) return reply;
      return { status: 400, body: { jsonrpc: "2.0", id: asked.id, result: { tools: [] } } };
    });
    expect(legacyOf(report)).toEqual(["STATEFUL", "enforced"]);
  });

  it("a message that is not JSON-RPC 2.0 is no answer", async () => {
    const report = await probeOdd(({ id }) => ({ body: { id, result: { protocolVersion: "2025-11-25" } } }));
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "not-mcp" } });
  });

  it("the probe does not wait for an event stream that answers a notification", async () => {
    const report = await probeOdd(
      (asked) => {
        if (asked.method !== "notifications/initialized") return answerLegacy(asked);
        return { headers: { "content-type": "text/event-stream" }, isOpen: true };
      },
      { timeoutMs: 60_000 },
    );
    expect(legacyOf(report)).toEqual(["STATELESS", "none"]);
  });

  it("the probe does not wait for the rest of an event stream after the answer", async () => {
    const report = await probeOdd(
      (asked) => {
        const reply = answerLegacy(asked);
        if (asked.method !== "tools/list") return reply;
        const body = `: hello\n\ndata: ${JSON.stringify(reply.body)}\n\n`;
        return { headers: { "content-type": "text/event-stream" }, body, isOpen: true };
      },
      { timeoutMs: 60_000 },
    );
    expect(legacyOf(report)).toEqual(["STATELESS", "none"]);
  });

  it("a response to another request is ignored", async () => {
    const report = await probeOdd(() =>
      ok("somebody-else", { supportedVersions: ["2026-07-28"], resultType: "complete" }),
    );
    expect(report).toMatchObject({ word: "UNKNOWN", problem: { reason: "not-mcp" } });
  });

  it("a server that issues a session with every answer cannot exceed the request limit", async () => {
    const report = await probeOdd((asked) => withSession(answerLegacy(asked), crypto.randomUUID()), { maxRequests: 8 });
    expect(report.requests).toBeLessThanOrEqual(8);
    expect(report.word).not.toBe("STATELESS");
  });
});

describe("an aborted probe", () => {
  it("rejects with the signal's reason, and ends the session first", async () => {
    const handle = createStateful();
    const controller = new AbortController();
    server = await startOddServer((asked) => {
      if (asked.method === "tools/list" && !isModern(asked)) controller.abort(new Error("enough"));
      return handle(asked);
    });
    await expect(probe({ url: server.url }, { signal: controller.signal })).rejects.toThrow("enough");
    expect(handle.sessions.size).toBe(0);
    await expect.poll(() => server?.connections()).toBe(0);
  });

  it("an invalid target rejects with the expected form", async () => {
    await expect(probe({ url: "ftp://example.org" })).rejects.toThrow(/http or https URL, got "ftp/);
  });
});
