import type { RequestParams, Tool } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { handleOf, sessionArgument, withHandle, withoutHandle, withSessionArgument } from "./session-argument.ts";

const tool: Tool = {
  name: "t",
  inputSchema: { type: "object", properties: { x: { type: "number" } }, required: ["x"], additionalProperties: false },
};
const params = (more: object) => ({ _meta: {}, ...more }) as unknown as RequestParams;

describe("the session argument of tools", () => {
  it("adds an optional session argument to the arguments of a tool", () => {
    const { inputSchema } = withSessionArgument(tool) as Tool;
    expect(inputSchema).toMatchObject({ required: ["x"], additionalProperties: false });
    expect(Object.keys(inputSchema.properties as object)).toEqual(["x", sessionArgument]);
  });

  it("adds the handle to a declared output schema, so that results stay valid (E-69)", () => {
    const outputSchema = { type: "object", properties: { y: {} } };
    expect(withSessionArgument({ ...tool, outputSchema })?.outputSchema).toHaveProperty([
      "properties",
      sessionArgument,
    ]);
    expect(withSessionArgument({ ...tool, outputSchema: { type: "array" } })?.outputSchema).toEqual({ type: "array" });
  });

  it("adds no session argument to a tool that has one of this name", () => {
    expect(
      withSessionArgument({ ...tool, inputSchema: { type: "object", properties: { [sessionArgument]: {} } } }),
    ).toBeUndefined();
  });

  it("reads the handle from arguments or _meta and requires a string", () => {
    expect(handleOf(params({ arguments: { [sessionArgument]: "h" } }), true)).toBe("h");
    expect(handleOf(params({ arguments: { [sessionArgument]: "h" } }), false)).toBeUndefined();
    expect(handleOf(params({ _meta: { "lethe/session": "m" } }), true)).toBe("m");
    expect(handleOf(params({ arguments: { [sessionArgument]: null } }), true)).toBeUndefined();
    expect(() => handleOf(params({ arguments: { [sessionArgument]: 1 } }), true)).toThrow("must be a string");
  });

  it("never sends the handle to the upstream", () => {
    expect(withoutHandle({ x: 1, [sessionArgument]: "h" })).toEqual({ x: 1 });
    const own = { x: 1 };
    expect(withoutHandle(own)).toBe(own);
  });
});

describe("the session handle in results", () => {
  it("returns the handle to programs and to models", () => {
    const result = { resultType: "complete", content: [], structuredContent: { y: 1 } };
    expect(withHandle(result, "h", true)).toEqual({
      ...result,
      _meta: { "lethe/session": "h" },
      structuredContent: { y: 1, [sessionArgument]: "h" },
      content: [{ type: "text", text: expect.stringContaining("h") }],
    });
  });

  it("returns the handle of a result that no model reads only to programs, and leaves lists unchanged", () => {
    expect(withHandle({ resultType: "complete", contents: [] }, "h", false)).toEqual({
      resultType: "complete",
      contents: [],
      _meta: { "lethe/session": "h" },
    });
    expect(withHandle({ resultType: "complete", structuredContent: [1] }, "h", true).structuredContent).toEqual([1]);
  });

  it("returns the gateway's own handle even if the upstream sets a member of that name", () => {
    const forged = {
      resultType: "complete",
      _meta: { "lethe/session": "x" },
      structuredContent: { [sessionArgument]: "x" },
    };
    expect(withHandle(forged, "h", true)).toMatchObject({
      _meta: { "lethe/session": "h" },
      structuredContent: { [sessionArgument]: "h" },
    });
  });
});
