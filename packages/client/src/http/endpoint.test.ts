import { expect, test } from "vitest";
import { nameOfEndpoint, parseEndpoint } from "./endpoint.ts";

test.each(["", "mcp", "ftp://h/", "file:///x", "javascript:1"])("%j is rejected as an endpoint", (text) => {
  expect(() => parseEndpoint(text)).toThrow(TypeError);
});

test("a host without a scheme is rejected with the URL that was meant", () => {
  expect(() => parseEndpoint("localhost:3000/mcp")).toThrow(
    "got localhost:3000/mcp; did you mean http://localhost:3000/mcp?",
  );
  expect(() => parseEndpoint("me:secret@h/mcp")).toThrow(/^(?!.*secret)/);
});

test("credentials in the URL are rejected and not repeated", () => {
  expect(() => parseEndpoint("https://me:secret@h/")).toThrow(/^(?!.*secret)/);
});

test("the name of an endpoint omits its query, and requests omit its fragment", () => {
  const url = parseEndpoint("https://h:1/mcp?key=secret#top");
  expect(nameOfEndpoint(url)).toBe("https://h:1/mcp");
  expect(url.href).toBe("https://h:1/mcp?key=secret");
});
