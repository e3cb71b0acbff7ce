import { expect, it } from "vitest";
import { requireServerUrl } from "./server-url.ts";

it.each(["http://localhost:3000/mcp", "https://example.com", "HTTP://[::1]:1/"])("%s is accepted as URL", (word) => {
  expect(() => requireServerUrl(word)).not.toThrow();
});

it.each([
  ["localhost", "http://localhost"],
  ["localhost:3000/mcp", "http://localhost:3000/mcp"],
  ["127.0.0.1:3000", "http://127.0.0.1:3000"],
  ["server:8080", "http://server:8080"],
  ["example.com/mcp", "https://example.com/mcp"],
])("%s lacks its scheme, which the error suggests", (word, url) => {
  expect(() => requireServerUrl(word)).toThrow(`"${word}" is not an http or https URL; did you mean ${url}?`);
});

it.each(["", "npx", "server.js", "./dist/server.js", "ftp://x", "http://", "http://a:99999/", "htp:/x"])(
  "%j gives an error without a suggestion",
  (word) => {
    expect(() => requireServerUrl(word)).toThrow(/is not an http or https URL$/);
  },
);

it("credentials are rejected and not repeated in the error", () => {
  const refuse = () => requireServerUrl("https://me:hunter22@host/mcp");
  expect(refuse).toThrow(/^credentials in a URL .* --header 'Authorization/);
  expect(refuse).not.toThrow(/hunter22/);
});
