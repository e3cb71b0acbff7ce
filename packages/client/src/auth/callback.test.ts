import { describe, expect, test } from "vitest";
import { processCallback } from "./callback.ts";

const issuer = "https://as.example";
const state = "s".repeat(43);

function receive(params: Record<string, string> | string[][], isAdvertised = false) {
  const callback = new URL("http://localhost:1/callback");
  for (const [name, value] of new URLSearchParams(params)) callback.searchParams.append(name, value);
  const server = { issuer, authorization_response_iss_parameter_supported: isAdvertised };
  return processCallback(callback, { server, clientId: "c", state });
}

describe("the issuer in a callback is compared as text (G-42, RFC 9207)", () => {
  test.each<[string, string | undefined, boolean, "taken" | "refused"]>([
    ["the right one, advertised", issuer, true, "taken"],
    ["the right one, not advertised", issuer, false, "taken"],
    ["none, not advertised", undefined, false, "taken"],
    ["none, advertised", undefined, true, "refused"],
    ["another one, advertised", "https://evil.example", true, "refused"],
    ["another one, not advertised", "https://evil.example", false, "refused"],
    ["with a slash more", `${issuer}/`, true, "refused"],
    ["in capitals", "https://AS.example", true, "refused"],
    ["with its port", `${issuer}:443`, false, "refused"],
    ["empty", "", false, "refused"],
  ])("%s", async (_, iss, isAdvertised, outcome) => {
    const received = receive({ code: "x", state, ...(iss === undefined ? {} : { iss }) }, isAdvertised);
    if (outcome === "taken") expect((await received).get("code")).toBe("x");
    else await expect(received).rejects.toMatchObject({ code: "issuer_mismatch", issuer });
  });

  test("a callback with two issuers is rejected", async () => {
    const twice = [
      ["code", "x"],
      ["state", state],
      ["iss", issuer],
      ["iss", issuer],
    ];
    await expect(receive(twice)).rejects.toMatchObject({ code: "issuer_mismatch" });
  });

  test("nothing of another issuer's callback is shown, not even its error", async () => {
    const forged = receive({ error: "call +1 555", error_description: "now", state, iss: "https://evil.example" });
    await expect(forged).rejects.toMatchObject({
      code: "issuer_mismatch",
      message: expect.not.stringMatching(/555|now|evil/),
    });
  });
});

test("a callback without our state or without a code is rejected (G-43)", async () => {
  const cases = [
    { code: "x" },
    { code: "x", state: "other" },
    { state },
    { code: "", state },
    { code: "x", state, response: "jwt" },
  ];
  for (const params of cases) await expect(receive(params)).rejects.toMatchObject({ code: "invalid_callback", issuer });
});

test("the error of the authorization server is quoted without anything that looks like a token", async () => {
  const secret = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";
  const error = receive({ error: "access_denied", error_description: `no: ${secret}`, state, iss: issuer });
  await expect(error).rejects.toMatchObject({
    code: "access_denied",
    oauthError: "access_denied",
    message: expect.stringMatching(/"access_denied" \("no: \.\.\."\)/),
  });
});
