import { expect, test } from "vitest";
import { parseSecureUrl } from "./secure-url.ts";

test.each([
  "https://as.example/authorize",
  "http://localhost:3000/callback",
  "http://127.0.0.1/x",
  "http://127.8.9.1/x",
  "http://[::1]:8080/x",
  "http://app.localhost/x",
])("%s may be used (G-50)", (text) => {
  expect(parseSecureUrl(text, "it").href).toBe(new URL(text).href);
});

test.each([
  "http://as.example/authorize",
  "http://localhost.evil.example/",
  "http://127.0.0.1.evil.example/",
  "http://127.evil/",
  "http://0.0.0.0/",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "vbscript:x",
  "myapp://callback",
  "//as.example/x",
  "",
])("%s may not (G-50)", (text) => {
  expect(() => parseSecureUrl(text, "it")).toThrow(expect.objectContaining({ code: "insecure_url" }));
});

test("credentials and queries of a URL do not appear in the error message", () => {
  expect(() => parseSecureUrl("https://user:pass@as.example/", "it")).toThrow(/^it must not hold credentials$/);
  expect(() => parseSecureUrl("http://as.example/x?token=secret#y", "it")).toThrow(/^(?!.*secret)/);
});
