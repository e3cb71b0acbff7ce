import { expect, test } from "vitest";
import { browserCommand, openBrowser } from "./open-browser.ts";

const url = "https://as.example/authorize?a=1&b=$(touch%20x)";

test.each([
  ["darwin", "open", [url]],
  ["linux", "xdg-open", [url]],
  ["win32", "rundll32", ["url.dll,FileProtocolHandler", url]],
] as const)("on %s the URL is one argument of %s, and no shell reads it (G-50)", (platform, command, args) => {
  expect(browserCommand(platform, url)).toEqual({ command, args });
});

test("a URL that is no web page is not opened (G-50)", async () => {
  for (const bad of ["javascript:alert(1)", "file:///etc/passwd", "http://as.example/", "--help:x"]) {
    const opened = openBrowser({ href: bad } as URL);
    await expect(opened).rejects.toMatchObject({ code: "insecure_url" });
  }
});
