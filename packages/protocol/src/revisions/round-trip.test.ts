// Conversion from the model to each revision and back keeps all members that the revision defines (D-50, D-51).
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { McpError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { metaKey } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import type { InputRequest } from "../model/input.ts";
import { type LegacyRevision, revisionNamed } from "./find-revision.ts";
import { toInitializeResult } from "./handshake/accept-initialize.ts";
import { parseInitializeResult, toDiscoverResult } from "./handshake/initialize.ts";

const revisions: LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const newest = revisionNamed("2025-11-25");
const serverInfo = { name: "s", version: "1" };

const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constant("__proto__"));
const few = <T>(item: Arbitrary<T>) => fc.array(item, { maxLength: 2 });
const check = <T>(property: fc.IPropertyWithHooks<T>) => fc.assert(property, { numRuns: 40 });
/** Names that may be hostile: "__proto__" is among what this makes. */
const object: Arbitrary<JsonObject> = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
const members = <T extends object>(needed: T, optional: { [name: string]: Arbitrary<unknown> } = {}) =>
  fc.record({ ...needed, ...optional } as { [name: string]: Arbitrary<unknown> }, {
    requiredKeys: Object.keys(needed),
  }) as Arbitrary<JsonObject>;
const annotations = fc.record({ priority: fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }) });
const block = (type: string, needed: { [name: string]: Arbitrary<unknown> }) =>
  members({ type: fc.constant(type), ...needed }, { annotations, _meta: object });

const contents = fc.oneof(members({ uri: text, text }, { mimeType: text }), members({ uri: text, blob: text }));
const plain = [
  block("text", { text }),
  block("image", { data: text, mimeType: text }),
  block("resource", { resource: contents }),
];
const audio = block("audio", { data: text, mimeType: text });
const link = members({ type: fc.constant("resource_link"), uri: text, name: text }, { title: text, description: text });

const since = (revision: LegacyRevision, first: LegacyRevision): boolean => revision >= first;

function blocksOf(revision: LegacyRevision): Arbitrary<JsonObject> {
  const more = [...(since(revision, "2025-03-26") ? [audio] : []), ...(since(revision, "2025-06-18") ? [link] : [])];
  return fc.oneof(...plain, ...more);
}

/** What a result says of itself today, and what it is made into on the way back. */
const modern = (result: JsonObject, cache: object = {}): Result => ({
  ...result,
  resultType: "complete",
  ...cache,
  _meta: { ...(result._meta as JsonObject), [metaKey.serverInfo]: serverInfo },
});

function thereAndBack(revision: LegacyRevision, method: string, result: Result): unknown {
  const legacy = JSON.parse(JSON.stringify(revisionNamed(revision).toClientResult(method, result)));
  return revisionNamed(revision).fromServerResult(method, legacy, serverInfo);
}

const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(revisions)("to %s and back", (revision) => {
  const codec = revisionNamed(revision);
  const blocks = few(blocksOf(revision));
  const hasStructure = since(revision, "2025-06-18");

  it("a tool's result keeps its content", () => {
    const called = members(
      { content: blocks },
      { isError: fc.boolean(), _meta: object, ...(hasStructure && { structuredContent: object }) },
    );
    check(
      fc.property(called, (result) => {
        expect(thereAndBack(revision, "tools/call", modern(result))).toEqual(wire(modern(result)));
      }),
    );
  });

  it("a prompt keeps its messages", () => {
    const message = members({ role: fc.constantFrom("user", "assistant"), content: blocksOf(revision) });
    check(
      fc.property(members({ messages: few(message) }, { description: text }), (result) => {
        expect(thereAndBack(revision, "prompts/get", modern(result))).toEqual(wire(modern(result)));
      }),
    );
  });

  it("a tool list keeps its tools and loses its cache hints", () => {
    const inputSchema = object.map((schema) => ({ ...schema, type: "object" }));
    const more = hasStructure ? { title: text, outputSchema: inputSchema } : {};
    const tool = members({ name: text, inputSchema }, { description: text, annotations: object, ...more });
    check(
      fc.property(members({ tools: few(tool) }, { nextCursor: text }), (list) => {
        const sent = modern(list, { ttlMs: 60_000, cacheScope: "public" });
        const back = modern(list, { ttlMs: 0, cacheScope: "private" });
        expect(thereAndBack(revision, "tools/list", sent)).toEqual(wire(back));
      }),
    );
  });

  it("members that all revisions share are unchanged", () => {
    const methods = ["resources/list", "resources/templates/list", "resources/read", "prompts/list"];
    check(
      fc.property(fc.constantFrom(...methods), object, (method, result) => {
        const back = modern({ ...result, _meta: {} }, { ttlMs: 0, cacheScope: "private" });
        expect(thereAndBack(revision, method, modern({ ...result, _meta: {} }))).toEqual(wire(back));
      }),
    );
  });

  it("an input request keeps its params", () => {
    check(
      fc.property(questionsOf(revision), (question) => {
        const asked = codec.toClientInputRequest(question, "e1");
        const params = wire(asked.params ?? null) as JsonObject | null;
        expect(codec.fromServerInputRequest(question.method, params ?? {}, { sampling: { context: {} } })).toEqual(
          wire(question),
        );
      }),
    );
  });

  it("an input response is the unchanged result of the client", () => {
    check(
      fc.property(questionsOf(revision), object, (question, answer) => {
        expect(codec.fromClientInputResponse(question, answer)).toEqual(answer);
      }),
    );
  });

  it("a server keeps its capabilities and its instructions", () => {
    const flags = fc.record({ listChanged: fc.boolean() }, { requiredKeys: [] });
    const known = { tools: flags, prompts: flags, resources: flags, logging: object, experimental: object };
    const offered = members({}, { ...known, ...(since(revision, "2025-03-26") && { completions: object }) });
    check(
      fc.property(offered, fc.option(text, { nil: undefined }), (capabilities, instructions) => {
        const discovered = {
          ...modern({}, { ttlMs: 0, cacheScope: "private" as const }),
          supportedVersions: ["2026-07-28"],
          capabilities,
          ...(instructions !== undefined && { instructions }),
        };
        const result = wire(toInitializeResult(codec, discovered as never, serverInfo));
        expect(toDiscoverResult(parseInitializeResult(result))).toEqual(wire(discovered));
      }),
    );
  });

  it("progress keeps its numbers", () => {
    const more = since(revision, "2025-03-26") ? { message: text } : {};
    check(
      fc.property(members({ progressToken: text, progress: fc.nat() }, { total: fc.nat(), ...more }), (params) => {
        const notification = { jsonrpc: "2.0" as const, method: "notifications/progress", params };
        expect(codec.toClientNotification(notification)).toEqual(notification);
      }),
    );
  });
});

/** Those that the revision knows, and whose wording it does not change. */
function questionsOf(revision: LegacyRevision): Arbitrary<InputRequest> {
  const newest = since(revision, "2025-11-25");
  const spoken = since(revision, "2025-03-26") ? [audio] : [];
  const one = fc.oneof(block("text", { text }), block("image", { data: text, mimeType: text }), ...spoken);
  const message = members({ role: fc.constantFrom("user", "assistant"), content: newest ? few(one) : one });
  const sampling = members(
    { messages: few(message), maxTokens: fc.nat() },
    { systemPrompt: text, temperature: fc.nat(), includeContext: fc.constant("none"), metadata: object },
  );
  const choice = fc.record({ const: text, title: text });
  const field = fc.oneof(
    members({ type: fc.constant("string") }, { title: text, minLength: fc.nat(), default: text }),
    members({ type: fc.constantFrom("number", "integer") }, { minimum: fc.integer(), default: fc.integer() }),
    members({ type: fc.constant("boolean") }, { description: text, default: fc.boolean() }),
    members({ type: fc.constant("string"), enum: few(text) }, { title: text }),
    members({ type: fc.constant("string"), oneOf: few(choice) }, { title: text }),
  );
  const form = fc.dictionary(text, field, { maxKeys: 3 }).chain((properties) =>
    fc.subarray(Object.keys(properties)).map((required) => ({
      ...(newest && { mode: "form" }),
      message: "?",
      requestedSchema: { type: "object", properties, ...(required.length > 0 && { required }) },
    })),
  );
  const url = members({ mode: fc.constant("url"), message: text, url: text });
  const of = (method: string, params: Arbitrary<unknown>) => params.map((asked) => ({ method, params: asked }));
  return fc.oneof(
    fc.constant({ method: "roots/list", params: {} }),
    of("sampling/createMessage", sampling),
    ...(since(revision, "2025-06-18") ? [of("elicitation/create", form)] : []),
    ...(newest ? [of("elicitation/create", url)] : []),
  ) as Arbitrary<InputRequest>;
}

const reserved = new Set<string>([...Object.values(metaKey), "progressToken"]);

describe("params", () => {
  const own = fc.dictionary(
    text.filter((key) => !["_meta", "task", "inputResponses", "requestState"].includes(key)),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const meta = fc.dictionary(
    text.filter((key) => !reserved.has(key)),
    fc.jsonValue({ maxDepth: 1 }),
    { minKeys: 1 },
  );

  it("params of an older client reach an older server unchanged", () => {
    check(
      fc.property(own, fc.option(meta, { nil: undefined }), (rest, _meta) => {
        const params = { ...rest, ...(_meta && { _meta }) };
        const there = newest.toServerParams(
          "tools/call",
          newest.fromClientParams("tools/call", params, { capabilities: {} }),
        );
        expect(there ?? {}).toEqual(params);
      }),
    );
  });

  it("params cannot forge an envelope through __proto__", () => {
    const forged = JSON.parse(`{"__proto__":{"${metaKey.logLevel}":"debug","${metaKey.clientInfo}":{}}}`);
    const { _meta } = newest.fromClientParams("tools/call", { _meta: forged }, { capabilities: {} });
    expect([_meta[metaKey.logLevel], _meta[metaKey.clientInfo]]).toEqual([undefined, undefined]);
  });
});

it("an error that all revisions define keeps its code, message and data", () => {
  const codes = fc.oneof(fc.constantFrom(-32700, -32600, -32601, -32602, -32603), fc.integer({ min: -31999 }));
  check(
    fc.property(codes, text, fc.option(object, { nil: undefined }), text, (code, message, data, uri) => {
      const error = new McpError(code, message, { data: data && { ...data, uri } });
      const seen = newest.fromServerError("resources/read", newest.toClientError("resources/read", error), { uri });
      expect({ ...seen, message: seen.message, cause: undefined }).toMatchObject({ code, message });
      expect(seen.data).toEqual(error.data);
    }),
  );
});
