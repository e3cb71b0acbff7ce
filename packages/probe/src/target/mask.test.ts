import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMask } from "./mask.ts";
import { hideSecrets, isSecretMember } from "./secrets.ts";
import type { ProbeTarget } from "./target.ts";

const url = "http://localhost/mcp";

describe("secrets of the target", () => {
  it("every header value of six characters or more is masked", () => {
    const value = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => !text.includes("*"));
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        const mask = createMask({ url, headers: { "x-key": secret } });
        expect(mask.apply(before + secret + after)).not.toContain(secret);
      }),
    );
  });

  it("credentials are masked without their scheme, too", () => {
    const mask = createMask({ url, headers: { authorization: "Custom abcdef123" } });
    expect(mask.apply("token abcdef123 is invalid")).toBe("token *** is invalid");
  });

  it.each([
    ["in a query", "Bearer p@ss/w0rd+1", "?x=p%40ss%2Fw0rd%2B1"],
    ["in JSON", 'Bearer say"this"', JSON.stringify('not say"this"')],
  ])("a secret is masked in another form: %s", (_where, authorization, text) => {
    expect(createMask({ url, headers: { authorization } }).apply(text)).not.toMatch(/w0rd|this/);
  });

  it.each<[ProbeTarget, string]>([
    [{ url: "https://me:hunter22@host/mcp" }, "hunter22"],
    [{ url: "https://host/mcp?api_key=s3cr3tly" }, "s3cr3tly"],
    [{ command: "npx", args: ["server", "--access-token", "s3cr3tly"] }, "s3cr3tly"],
    [{ command: "npx", args: ["server", "--token=s3cr3tly"] }, "s3cr3tly"],
  ])("a secret of the URL or the command line is masked where a server repeats it: %j", (target, secret) => {
    expect(createMask(target).apply(`no such key: ${secret}.`)).toBe("no such key: ***.");
  });

  it("values of environment variables are masked unless they are harmless", () => {
    const mask = createMask({ command: "x", env: { KEY: "s3cr3t-value", NODE_ENV: "production" } });
    expect(mask.apply("s3cr3t-value in production")).toBe("*** in production");
  });
});

describe("text that looks like a secret", () => {
  const mask = createMask({ url });

  it.each([
    ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "***"],
    ["token-eyJhbGciOiJI-eyJIUzI1NiJ9.eyJzdWIi-eyJOiIxIn0.c2ln", "token-eyJhbGciOiJI-***"],
    ["https://user:pass@host/mcp", "https://***@host/mcp"],
    ["https://host/mcp?apiKey=abc&x=1", "https://host/mcp?apiKey=***&x=1"],
    ["/messages?sessionId=0af2-11", "/messages?sessionId=***"],
    ["npx server --api-key abc123 --port 3", "npx server --api-key *** --port 3"],
    ["npx server --token=abc123", "npx server --token=***"],
    ["refresh_token=abc&client_id=x&code_verifier=def", "refresh_token=***&client_id=x&code_verifier=***"],
    ['{"access_token":"abc","expires_in":3600}', '{"access_token":"***","expires_in":3600}'],
    ['{"apiKey": "abc", "password":"d e f"}', '{"apiKey": "***", "password":"***"}'],
    [JSON.stringify({ text: '{"client_secret":"abc"}' }), JSON.stringify({ text: '{"client_secret":"***"}' })],
    ["Basic dXNlcjpwYXNz", "Basic ***"],
    ["authorization: basic dTpw and bearer abcdef123456", "authorization: basic *** and bearer ***"],
    ["https://host/mcp?api_key=it's&x=1", "https://host/mcp?api_key=***&x=1"],
    ["https://me:it's@host/x?signature=abc#top", "https://***@host/x?signature=***#top"],
    ["://me:pass@host", "://***@host"],
    ["key AKIAIOSFODNN7EXAMPLE.", "key ***."],
    ["github_pat_11ABCDEFG0abcdefghij", "***"],
    ["redis://:s3cret@host:6379", "redis://***@host:6379"],
    ["postgres://me:pa@ss@host/db", "postgres://***@host/db"],
    ["-----BEGIN PRIVATE KEY-----\nMIIE\n-----END", "-----BEGIN PRIVATE KEY-----***-----END"],
  ])("%s", (text, masked) => {
    expect(mask.apply(text)).toBe(masked);
  });

  it.each([" ", "-", '"', "=", "\\", "-eyJ", "Bearer ", "://a", '"token":', "?token=", "--key"])(
    "masking a long text of %j takes linear time",
    (part) => {
      // Where they did, this would take minutes, and not end in the time that a test has.
      expect(hideSecrets(part.repeat(256 * 1024).slice(0, 256 * 1024)).length).toBeGreaterThan(0);
    },
  );

  it("masking a text of many beginnings of tokens takes no longer than masking another one", () => {
    // If each beginning were searched to its end, this would not end in the time that a test has.
    const text = "-eyJ".repeat(1024 * 1024);
    expect(hideSecrets(text) === text).toBe(true);
  });

  it("a member is secret by its name in any spelling", () => {
    const secret = [
      "password",
      "PASSPHRASE",
      "apiKey",
      "api-key",
      "private_key",
      "codeVerifier",
      "Authorization",
      "key",
    ];
    const others = ["name", "keyboard", "monkey", "arguments", "code", "uri"];
    expect(secret.filter((name) => !isSecretMember(name))).toEqual([]);
    expect(others.filter(isSecretMember)).toEqual([]);
  });

  it.each([
    "a public-key file and an X.509-key pair",
    "the option --api-key is required, and --token must not be empty",
    "expected Bearer authentication, a bearer token or Bearer credentials.",
    "the sub-key missing",
  ])("words of ordinary text are not masked after a name of a secret: %s", (text) => {
    expect(mask.apply(text)).toBe(text);
  });

  it.each([
    ["--api-key island --token=is -key must1 --key is$x", "--api-key *** --token=*** -key *** --key ***"],
    ["'--token' abc (--password abc)", "'--token' abc (--password ***"],
    ["Bearer tokens-of-ann", "Bearer ***"],
  ])("values that begin with an ordinary word are masked: %s", (text, masked) => {
    expect(mask.apply(text)).toBe(masked);
  });

  it("challenges and ordinary words are not masked", () => {
    const text =
      'Bearer resource_metadata="https://host/.well-known", a monkey=3 and sk-1, a basic example, Basic auth, exit code=1, {"progressToken":"abc","code":"bad"}';
    expect(mask.apply(text)).toBe(text);
  });
});

it("a masked session id keeps its first characters", () => {
  const mask = createMask({ url });
  mask.add("1d391986-033b-460d", 4);
  expect(mask.apply("session 1d391986-033b-460d")).toBe("session 1d39***");
});
