// Links of documents lead to pages of the site, or to the code host.
import { expect, it } from "vitest";
import { toAnchor } from "../.vitepress/anchor.ts";
import { rewriteLinks } from "./rewrite-links.ts";

const targets = {
  pages: new Map([
    ["docs/gateway/access.md", "gateway/access"],
    ["packages/server", "packages/server"],
    ["SECURITY.md", "security"],
  ]),
  repository: "https://code.example/lethe/blob/HEAD/",
};
const rewrite = (text: string, source = "docs/gateway.md") => rewriteLinks(text, source, targets);

it("a link to a document leads to its page and keeps its anchor", () => {
  expect(rewrite("[a](gateway/access.md#policy)")).toBe("[a](/gateway/access#policy)");
  expect(rewrite("[a](../SECURITY.md)")).toBe("[a](/security)");
});

it("a link to a folder leads to the page of its README.md, and its label may contain code", () => {
  expect(rewrite("[`@lethe/server`](packages/server)", "README.md")).toBe("[`@lethe/server`](/packages/server)");
});

it("a link to any other file leads to the code host", () => {
  expect(rewrite("[a](../bench/README.md#rows)")).toBe(
    "[a](https://code.example/lethe/blob/HEAD/bench/README.md#rows)",
  );
});

it("links to other hosts, to the same page and in code blocks stay as they are", () => {
  const text = "[a](https://example.com/x.md) [b](#c)\n\n```md\n[d](gateway/access.md)\n```\n";
  expect(rewrite(text)).toBe(text);
});

it("an image of docs/images leads to its copy on the site", () => {
  expect(rewrite("![a](images/a.png)")).toBe("![a](/images/a.png)");
});

it("an anchor is the heading in lower case without punctuation, as on a code host", () => {
  expect(toAnchor("403 host not allowed, behind a proxy")).toBe("403-host-not-allowed-behind-a-proxy");
  expect(toAnchor("Names and URIs at `/mcp`")).toBe("names-and-uris-at-mcp");
});
