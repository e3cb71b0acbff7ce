// The headers of recorded steps.
import { expect, it } from "vitest";
import { recordedHeaders } from "./recorded-headers.ts";

const read = (headers: Record<string, string>) => recordedHeaders((name) => headers[name]);

it("records how a message is read and routed, and never headers with credentials", () => {
  const credentials = {
    ...{ authorization: "Bearer t", "proxy-authorization": "Basic x", cookie: "a=b", "set-cookie": "a=b" },
    ...{ "x-api-key": "k", "api-key": "k", "x-auth-token": "t", "mcp-param-token": "t" },
  };
  expect(read({ ...credentials, "content-type": "application/json", "mcp-name": "read" })).toEqual({
    "content-type": "application/json",
    "mcp-name": "read",
  });
  expect(read(credentials)).toBeUndefined();
});

it("cuts long values, and the id of a session, which gives access to it", () => {
  const headers = read({ "user-agent": "x".repeat(1_000), "mcp-session-id": "0123456789abcdef" });
  expect(headers?.["user-agent"]).toBe(`${"x".repeat(256)}…`);
  expect(headers?.["mcp-session-id"]).toBe("01234567…");
});
