// Builds the pages of the console. scripts/build-console.mjs runs it and packs the result into site/site.js.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  publicDir: "public",
  plugins: [react()],
  resolve: { conditions: ["@lethe/source", "module", "browser", "default"] },
  build: {
    outDir: "site/files",
    target: "es2023",
    // Small files would become data: URLs, which the content policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
  },
});
