import { type ClientCapabilities, errorCode, type InputRequest } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { checkNeeds, needsOf } from "./needs.ts";

describe("checkNeeds", () => {
  it.each<[ClientCapabilities, ClientCapabilities, ClientCapabilities | undefined]>([
    [{}, {}, undefined],
    [{ roots: {} }, {}, { roots: {} }],
    [{ roots: {} }, { roots: {} }, undefined],
    [{ sampling: {} }, {}, { sampling: {} }],
    [{ sampling: { tools: {} } }, {}, { sampling: { tools: {} } }],
    [{ sampling: { tools: {} } }, { sampling: {} }, { sampling: { tools: {} } }],
    [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }, { sampling: { context: {} } }],
    [{ sampling: {} }, { sampling: { tools: {} } }, undefined],
    [{ elicitation: {} }, {}, { elicitation: { form: {} } }],
    [{ elicitation: {} }, { elicitation: {} }, undefined],
    [{ elicitation: { form: {} } }, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: {} }, { elicitation: { url: {} } }],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: {} }, { elicitation: { url: {} } }],
    [{ elicitation: { url: {} } }, { elicitation: { url: {} } }, undefined],
    [{ extensions: { "a/b": {} } }, {}, { extensions: { "a/b": {} } }],
    [{ extensions: { "a/b": {} } }, { extensions: { "a/c": {} } }, { extensions: { "a/b": {} } }],
    [{ extensions: { "a/b": {} } }, { extensions: { "a/b": { x: 1 } } }, undefined],
    [{ experimental: { x: {} } }, {}, { experimental: { x: {} } }],
    [{ extensions: {} }, {}, undefined],
    [{ roots: {}, sampling: {} }, { sampling: {} }, { roots: {} }],
  ])(
    "for the needs %j of a client that declares %j, reports %j as missing (A-22, A-43)",
    (needs, declared, missing) => {
      if (missing === undefined) return expect(checkNeeds(needs, declared)).toBeUndefined();
      expect(() => checkNeeds(needs, declared)).toThrow(
        expect.objectContaining({ code: errorCode.missingClientCapability, data: { requiredCapabilities: missing } }),
      );
    },
  );

  it("treats a capability that is not an object as undeclared", () => {
    const declared = { roots: true, sampling: null, extensions: { "a/b": 1 } } as unknown as ClientCapabilities;
    expect(() => checkNeeds({ roots: {}, sampling: {}, extensions: { "a/b": {} } }, declared)).toThrow(
      expect.objectContaining({
        data: { requiredCapabilities: { roots: {}, sampling: {}, extensions: { "a/b": {} } } },
      }),
    );
  });
});

describe("needsOf", () => {
  const sampling = (params: object) =>
    ({ method: "sampling/createMessage", params: { messages: [], maxTokens: 1, ...params } }) as InputRequest;

  it.each<[string, InputRequest, ClientCapabilities]>([
    ["roots", { method: "roots/list" }, { roots: {} }],
    [
      "a form",
      {
        method: "elicitation/create",
        params: { message: "?", requestedSchema: { type: "object", properties: {} } },
      },
      { elicitation: { form: {} } },
    ],
    [
      "a URL",
      { method: "elicitation/create", params: { mode: "url", message: "?", url: "https://a" } },
      { elicitation: { url: {} } },
    ],
    ["a sample", sampling({}), { sampling: {} }],
    ["a sample with tools", sampling({ tools: [] }), { sampling: { tools: {} } }],
    ["a sample with a tool choice", sampling({ toolChoice: {} }), { sampling: { tools: {} } }],
    ["a sample without context", sampling({ includeContext: "none" }), { sampling: {} }],
    ["a sample with context", sampling({ includeContext: "thisServer" }), { sampling: { context: {} } }],
  ])("returns the capabilities that an input request needs: %s (E-23, E-96)", (_, request, needs) => {
    expect(needsOf(request)).toEqual(needs);
  });
});
