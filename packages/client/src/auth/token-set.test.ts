import { expect, test } from "vitest";
import { parseTokenSet, toTokenSet } from "./token-set.ts";

const context = { issuer: "https://as.example", resource: "https://s.example", clientId: "c", requestedScopes: ["a"] };
const response = { access_token: "t", token_type: "bearer" } as const;

test("a token is valid until shortly before it expires; without a lifetime, until it is rejected", () => {
  const now = Date.now();
  const { goodUntil = 0 } = toTokenSet({ ...response, expires_in: 3600 }, context);
  expect(goodUntil - now).toBeGreaterThan(3_500_000);
  expect(goodUntil - now).toBeLessThan(3_600_000);
  expect(toTokenSet({ ...response, expires_in: 1 }, context).goodUntil).toBeGreaterThan(now + 800);
  expect(toTokenSet({ ...response, expires_in: 0 }, context).goodUntil).toBeUndefined();
  expect(toTokenSet(response, context).goodUntil).toBeUndefined();
});

test("granted scopes default to the requested ones (RFC 6749) (RFC 6749)", () => {
  expect(toTokenSet(response, context).grantedScopes).toEqual(["a"]);
  expect(toTokenSet({ ...response, scope: "b c" }, context).grantedScopes).toEqual(["b", "c"]);
});

test("a key is stored only with a token that is bound to it", () => {
  const dpopKey = { kty: "EC" };
  expect(toTokenSet(response, { ...context, dpopKey }).dpopKey).toBeUndefined();
  expect(toTokenSet({ ...response, token_type: "dpop" }, { ...context, dpopKey }).dpopKey).toBe(dpopKey);
});

test("stored tokens are read again unless they are malformed", () => {
  const tokens = toTokenSet({ ...response, expires_in: 9, refresh_token: "r" }, context);
  const kept = JSON.parse(JSON.stringify(tokens));
  expect(parseTokenSet(kept)).toEqual(tokens);
  for (const broken of [
    { accessToken: 1 },
    { issuer: undefined },
    { refreshToken: {} },
    { goodUntil: "x" },
    { dpopKey: 7 },
  ]) {
    expect(parseTokenSet({ ...kept, ...broken })).toBeUndefined();
  }
  expect(parseTokenSet(undefined)).toBeUndefined();
});
