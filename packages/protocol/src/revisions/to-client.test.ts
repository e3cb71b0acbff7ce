// Conversion of messages for clients of each revision with a handshake (D.6, D-50).
import { describe, expect, it } from "vitest";
import { withTaskSupport } from "../dispatch/task-augmentation.ts";
import { metaKey } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import type { InputRequest } from "../model/input.ts";
import { type LegacyRevision, revisionNamed } from "./find-revision.ts";

const revisions: LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const serverInfo = { name: "s", version: "1" };
const complete = (members: object): Result => ({ resultType: "complete", ...members });

describe.each(revisions)("a result for %s", (revision) => {
  const codec = revisionNamed(revision);

  it("a result for an older client has no result type, cache hints or serverInfo (D.4/7)", () => {
    const modern = complete({ tools: [], ttlMs: 1, cacheScope: "public", _meta: { [metaKey.serverInfo]: serverInfo } });
    expect(codec.toClientResult("tools/list", modern)).toEqual({ tools: [] });
    expect(modern.ttlMs).toBe(1);
  });

  it("a result for an older client keeps all other metadata and unknown members (J-71)", () => {
    const modern = complete({ x: 1, _meta: { "a/b": 2, [metaKey.serverInfo]: serverInfo } });
    expect(codec.toClientResult("custom/method", modern)).toEqual({ x: 1, _meta: { "a/b": 2 } });
  });

  it.each([3, null, [1], "x", false])(
    "structured content %j becomes text unless the author provided content",
    (value) => {
      const call = (content: unknown[]) =>
        codec.toClientResult("tools/call", complete({ content, structuredContent: value }));
      expect(call([])).toEqual({ content: [{ type: "text", text: JSON.stringify(value) }] });
      expect(call([{ type: "text", text: "own" }])).toEqual({ content: [{ type: "text", text: "own" }] });
    },
  );

  it("a tool list omits output schemas that older clients reject and keeps input schemas unchanged (A-53)", () => {
    const inputSchema = { type: "object", $defs: { a: {} }, if: {}, unknown: 1 };
    const tools = [{ name: "a", inputSchema, outputSchema: { type: "array" } }];
    expect(codec.toClientResult("tools/list", complete({ tools }))).toEqual({ tools: [{ name: "a", inputSchema }] });
  });
});

describe("structured content", () => {
  const modern = complete({ content: [], structuredContent: { a: 1 } });
  const tools = complete({ tools: [{ name: "a", title: "A", inputSchema: {}, outputSchema: { type: "object" } }] });

  it.each(["2025-11-25", "2025-06-18"] as const)("structured content is sent to clients of %s", (revision) => {
    expect(revisionNamed(revision).toClientResult("tools/call", modern)).toEqual({
      content: [],
      structuredContent: { a: 1 },
    });
    expect(revisionNamed(revision).toClientResult("tools/list", tools)).toEqual({ tools: tools.tools });
  });

  it.each(["2025-03-26", "2024-11-05"] as const)("structured content becomes text for clients of %s", (revision) => {
    expect(revisionNamed(revision).toClientResult("tools/call", modern)).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
    });
    expect(revisionNamed(revision).toClientResult("tools/list", tools)).toEqual({
      tools: [{ name: "a", title: "A", inputSchema: {}, annotations: { title: "A" } }],
    });
  });
});

describe("content blocks", () => {
  const link = { type: "resource_link", uri: "x://a", name: "a", description: "first", annotations: { priority: 1 } };
  const sound = { type: "audio", data: "AA==", mimeType: "audio/wav" };
  const linkText = { type: "text", text: "a: x://a (first)", annotations: { priority: 1 } };
  const embedded = { type: "resource", resource: { uri: "audio:inline", mimeType: "audio/wav", blob: "AA==" } };

  it.each([
    ["2025-11-25", link, sound],
    ["2025-06-18", link, sound],
    ["2025-03-26", linkText, sound],
    ["2024-11-05", linkText, embedded],
  ] as const)("content blocks are converted for clients of %s", (revision, wantedLink, wantedSound) => {
    const codec = revisionNamed(revision);
    const called = codec.toClientResult("tools/call", complete({ content: [link, sound] }));
    expect(called).toEqual({ content: [wantedLink, wantedSound] });
    const messages = [{ role: "user", content: link }];
    expect(codec.toClientResult("prompts/get", complete({ messages }))).toEqual({
      messages: [{ role: "user", content: wantedLink }],
    });
  });
});

describe("capabilities", () => {
  const declared = {
    roots: { listChanged: true },
    sampling: { tools: {} },
    elicitation: { form: {}, url: {} },
    tasks: {},
    extensions: { "io.modelcontextprotocol/tasks": {}, "a.b/c": { d: 1 } },
    experimental: {},
    strange: 7,
  };
  const rest = { roots: { listChanged: true }, extensions: { "a.b/c": { d: 1 } }, experimental: {} };

  it.each([
    ["2025-11-25", { ...rest, sampling: { tools: {} }, elicitation: { form: {}, url: {} } }],
    ["2025-06-18", { ...rest, sampling: { context: {} }, elicitation: {} }],
    ["2025-03-26", { ...rest, sampling: { context: {} } }],
    ["2024-11-05", { ...rest, sampling: { context: {} } }],
  ] as const)("readClientCapabilities of %s returns capabilities of the model (A-25, F-29)", (revision, modern) => {
    expect(revisionNamed(revision).readClientCapabilities(declared)).toEqual(modern);
  });

  it.each(revisions)("writeServerCapabilities of %s omits capabilities that it does not define (D-22)", (revision) => {
    const served = { tools: {}, completions: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
    const completions = revision === "2024-11-05" ? {} : { completions: {} };
    const core = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    const tasks = revision === "2025-11-25" ? core : {};
    expect(revisionNamed(revision).writeServerCapabilities(served)).toEqual({ tools: {}, ...completions, ...tasks });
    expect(revisionNamed(revision).writeServerCapabilities({ tools: {} })).toEqual({ tools: {} });
  });

  it.each(revisions)("the tool list of %s states task support only if the revision has tasks (D-38)", (revision) => {
    const tool = { name: "a", inputSchema: { type: "object" } };
    const tools = [withTaskSupport({ ...tool }, "required"), tool];
    const { tools: listed } = revisionNamed(revision).toClientResult("tools/list", complete({ tools }));
    const execution = revision === "2025-11-25" ? { execution: { taskSupport: "required" } } : {};
    expect(JSON.parse(JSON.stringify(listed))).toEqual([{ ...tool, ...execution }, tool]);
  });
});

describe("input requests", () => {
  const url: InputRequest = { method: "elicitation/create", params: { mode: "url", message: "go", url: "https://a" } };
  const form: InputRequest = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } } } },
  };
  const sound = { type: "audio" as const, data: "AA==", mimeType: "audio/wav" };
  const words = { type: "text" as const, text: "hi" };
  const sample: InputRequest = {
    method: "sampling/createMessage",
    params: { maxTokens: 1, messages: [{ role: "user", content: [words, sound] }] },
  };

  it("in 2025-11-25 URL elicitations have an id and forms have a mode (D-39)", () => {
    const codec = revisionNamed("2025-11-25");
    expect(codec.toClientInputRequest(url, "e1").params).toEqual({ ...url.params, elicitationId: "e1" });
    expect(codec.toClientInputRequest(form, "e1").params).toEqual({ ...form.params, mode: "form" });
    expect(codec.toClientInputRequest(sample, "")).toEqual(sample);
    expect(codec.toClientInputRequest({ method: "roots/list" }, "")).toEqual({ method: "roots/list" });
  });

  it("forms have no mode in 2025-06-18", () => {
    expect(revisionNamed("2025-06-18").toClientInputRequest(form, "").params).toEqual(form.params);
  });

  it.each([
    ["2025-06-18", sound],
    ["2025-03-26", sound],
    ["2024-11-05", { type: "text", text: "[audio/wav left out]" }],
  ] as const)("sampling messages hold one block each for %s", (revision, last) => {
    expect(revisionNamed(revision).toClientInputRequest(sample, "").params?.messages).toEqual([
      { role: "user", content: words },
      { role: "user", content: last },
    ]);
  });
});

it("progress notifications have a message since 2025-03-26 (D-29)", () => {
  const progress = {
    jsonrpc: "2.0" as const,
    method: "notifications/progress",
    params: { progressToken: 1, progress: 2, message: "half" },
  };
  expect(revisionNamed("2025-03-26").toClientNotification(progress)).toEqual(progress);
  expect(revisionNamed("2024-11-05").toClientNotification(progress).params).toEqual({ progressToken: 1, progress: 2 });
});
