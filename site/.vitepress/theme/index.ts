// The default theme of VitePress without its font, with diagrams.
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { MermaidDiagram } from "./mermaid-diagram.ts";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress imports the default export.
export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("MermaidDiagram", MermaidDiagram);
  },
} satisfies Theme;
