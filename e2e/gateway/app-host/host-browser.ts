// A host of MCP Apps in a real browser, with one client of a server for all its apps.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { type Browser, chromium, type Frame } from "playwright-core";
import { rolldown } from "rolldown";

const entry = fileURLToPath(new URL("host-page.js", import.meta.url));
/** Without its background requests, which fail without a network. */
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"];

export interface RenderedApp {
  /** The sandboxed frame with the app. */
  readonly frame: Frame;
  /** The names of the tools that the app has called. */
  readonly calls: readonly string[];
}

export interface HostBrowser {
  /** Calls a tool as a host does, reads the user interface that the tool names, and renders it. */
  render(client: Client, tool: string): Promise<RenderedApp>;
  close(): Promise<void>;
}

export async function openHostBrowser(): Promise<HostBrowser> {
  const bundle = await rolldown({ input: entry, platform: "browser" });
  const { output } = await bundle.generate({ format: "iife" });
  await bundle.close();
  const [{ code }] = output;
  const browser: Browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  return {
    async render(client, name) {
      const tool = (await client.listTools()).find((one) => one.name === name);
      const ui = (tool?._meta as { ui?: { resourceUri?: string } } | undefined)?.ui;
      const { contents } = await client.readResource(String(ui?.resourceUri));
      const result = await client.callTool(name, {});
      const calls: string[] = [];
      const page = await browser.newPage();
      await page.exposeFunction("forwardCall", (call: { name: string; arguments?: { [name: string]: unknown } }) => {
        calls.push(call.name);
        return client.callTool(call.name, call.arguments ?? {});
      });
      await page.setContent("<!doctype html><title>host</title>");
      await page.addScriptTag({ content: code });
      const { text: html } = contents[0] as { text: string };
      await page.evaluate(
        (app) => (globalThis as unknown as { renderApp(app: object): Promise<void> }).renderApp(app),
        {
          ...{ html, args: {}, result },
        },
      );
      const frame = page.frames()[1];
      if (!frame) throw new Error("expected the frame of the app, got none");
      return { frame, calls };
    },
    close: () => browser.close(),
  };
}
