// The configuration of VitePress. `npm run docs` writes the pages before it builds them.
import { readFileSync } from "node:fs";

import { type DefaultTheme, defineConfig } from "vitepress";
import { toAnchor } from "./anchor.ts";
import { indexOptions, searchedPart, searchOptions } from "./search.ts";

const sidebar = JSON.parse(
  readFileSync(new URL("../pages/sidebar.json", import.meta.url), "utf8"),
) as DefaultTheme.Sidebar;

/** A letter on a blue square, so that browsers request no file. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#3451b2" d="M0 0h16v16H0z"/><path fill="#fff" d="M5 3h2v8h4v2H5z"/></svg>',
)}`;

// biome-ignore lint/style/noDefaultExport: VitePress imports the default export.
export default defineConfig({
  title: "Lethe",
  description: "A stateless Model Context Protocol stack: gateway, servers and clients",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".cache/vitepress",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: icon }]],
  markdown: {
    // The anchors of the documents are those of code hosts.
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    languageAlias: { haproxy: "nginx" },
    config(markdown) {
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
        return `<MermaidDiagram code="${encodeURIComponent(token.content)}" />`;
      };
    },
  },
  themeConfig: {
    sidebar,
    outline: { level: [2, 3] },
    nav: [
      { text: "Gateway", link: "/start/gateway" },
      { text: "Server", link: "/getting-started" },
      { text: "Client", link: "/start/client" },
      { text: "Operations", link: "/operations/troubleshooting" },
      { text: "Reference", link: "/reference/cli" },
    ],
    search: {
      provider: "local",
      options: {
        _render: (source, environment, markdown) =>
          markdown.render(searchedPart(source, environment.relativePath), environment),
        miniSearch: { options: indexOptions, searchOptions },
      },
    },
  },
  vite: {
    build: { chunkSizeWarningLimit: 4_000 },
  },
});
