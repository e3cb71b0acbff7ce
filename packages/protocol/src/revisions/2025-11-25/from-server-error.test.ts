// Conversion of errors of older servers (A-40 to A-42, D-52).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { McpError } from "../../jsonrpc/error.ts";
import { fromServerError, urlInputRequestsOf } from "./error.ts";

const error = (code: number, data?: unknown) => new McpError(code, "m", { data });

describe("fromServerError", () => {
  it("resource not found becomes -32602 with the requested URI unless the server names one (E-79)", () => {
    expect(fromServerError("resources/read", error(-32002), { uri: "a:1" })).toMatchObject({
      code: -32602,
      data: { uri: "a:1" },
    });
    expect(fromServerError("resources/read", error(-32002, { uri: "a:2" }), { uri: "a:1" })).toMatchObject({
      data: { uri: "a:2" },
    });
    expect(fromServerError("resources/read", error(-32002, "d"), {})).toMatchObject({ code: -32602, data: "d" });
  });

  it("fromServerError replaces codes that MCP reserves and keeps all others (D-52, A-41)", () => {
    fc.assert(
      fc.property(fc.integer({ min: -33000, max: -31000 }), (code) => {
        const seen = fromServerError("resources/read", error(code, 1), {});
        const isReserved = code <= -32000 && code >= -32099;
        if (!isReserved) expect(seen.code).toBe(code);
        else expect(seen).toMatchObject({ code: code === -32002 ? -32602 : -32603, message: "m", data: 1 });
      }),
    );
  });
});

describe("urlInputRequestsOf", () => {
  it("urlInputRequestsOf returns a URL elicitation for each URL that the server names (D-39)", () => {
    const elicitations = [
      { url: "https://a", message: "m", elicitationId: "1" },
      { message: "no url" },
      { url: "https://b" },
    ];
    expect(urlInputRequestsOf(error(-32042, { elicitations }))).toEqual({
      url1: { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://a" } },
      url2: { method: "elicitation/create", params: { mode: "url", message: "", url: "https://b" } },
    });
  });

  it.each([
    error(-32603, { elicitations: [{ url: "https://a" }] }),
    error(-32042),
    error(-32042, { elicitations: [1] }),
  ])("urlInputRequestsOf returns undefined for error %# without URLs", (thrown) => {
    expect(urlInputRequestsOf(thrown)).toBeUndefined();
  });
});
