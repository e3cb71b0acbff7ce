// Which credentials an upstream sees: the operator's, for the caller they belong to.
import { describe, expect, it } from "vitest";
import type { HttpUpstream } from "../../config/upstream-config.ts";
import { createCredentials, requireCallerCredentials } from "./credentials.ts";

const upstream: HttpUpstream = {
  kind: "http",
  name: "gh",
  url: "https://gh.example/mcp",
  headers: { authorization: "Bearer everybody", "x-team": "a" },
};

describe("credentials for an upstream", () => {
  it("uses the headers of the upstream's entry by default", () => {
    expect(createCredentials(upstream)("key ci")).toEqual({ headers: upstream.headers });
  });

  it("uses credentials configured for the whole gateway", () => {
    const credentialsFor = createCredentials({
      ...upstream,
      credentials: { headers: { authorization: "Bearer gateway" } },
    });
    expect(credentialsFor(undefined).headers).toEqual({ authorization: "Bearer gateway", "x-team": "a" });
  });

  it("credentials replace a header of the entry regardless of the case of its name", () => {
    const headers = { Authorization: "Bearer everybody", "x-team": "a" };
    const credentialsOf = createCredentials({
      ...upstream,
      headers,
      credentials: { headers: { authorization: "Bearer gateway" } },
    });
    expect(credentialsOf(undefined).headers).toEqual({ authorization: "Bearer gateway", "x-team": "a" });
  });

  it("uses credentials configured for one caller for no other caller", () => {
    const callers = { "key ci": { headers: { authorization: "Bearer ci" } } };
    const credentialsFor = createCredentials({ ...upstream, credentials: { callers } });
    expect(credentialsFor("key ci").headers.authorization).toBe("Bearer ci");
    expect(credentialsFor("key other").headers.authorization).toBe("Bearer everybody");
    expect(credentialsFor("constructor").headers.authorization).toBe("Bearer everybody");
  });

  it("obtains tokens that callers with the same grant share", () => {
    const client = { clientId: "gateway", clientSecret: "secret" };
    const callers = { "key ci": { clientCredentials: { ...client, clientId: "ci" } } };
    const credentialsFor = createCredentials({ ...upstream, credentials: { clientCredentials: client, callers } });
    expect(credentialsFor("a").authorizer).toBeDefined();
    expect(credentialsFor("a").authorizer).toBe(credentialsFor("b").authorizer);
    expect(credentialsFor("key ci").authorizer).not.toBe(credentialsFor("a").authorizer);
  });

  it("rejects callers without credentials if the upstream requires them per caller", () => {
    const credentials = { callerRequired: true, callers: { "key ci": {} } };
    expect(() => requireCallerCredentials({ ...upstream, credentials }, "key ci")).not.toThrow();
    for (const callerId of [undefined, "key other", "constructor"]) {
      expect(() => requireCallerCredentials({ ...upstream, credentials }, callerId)).toThrow(
        "only to callers with credentials",
      );
    }
  });
});
