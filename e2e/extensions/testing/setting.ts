// The servers that have Tasks, Apps and Skills, and a gateway over them: a server of Lethe, and published ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandTarget, ConnectOptions } from "@lethe/client";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { runGateway, stdioUpstream } from "../../gateway/in-process.ts";
import type { Revision } from "./cell.ts";

export interface Setting {
  /** The URL of the server of Lethe. */
  readonly own: string;
  /** The URL of the merged endpoint. */
  readonly gateway: string;
  /** Programs of the official SDK, for clients of Lethe: with the skills of a folder, with apps, with tasks. */
  readonly official: {
    skills(revision: Revision): CommandTarget;
    readonly app: CommandTarget;
    readonly monitor: CommandTarget;
    readonly tasks: CommandTarget;
  };
  close(): Promise<void>;
}

/** What selects the revision of our client. */
export const optionsOf = (revision: Revision): ConnectOptions => ({
  era: revision === "2025-11-25" ? "legacy" : "modern",
});

/** The upstreams of the gateway that are servers of Lethe, each used with one revision. */
export const ownUpstreams = ["modern", "old"] as const;

const { resolve } = createRequire(import.meta.url);
const skillsProgram = fileURLToPath(new URL("../../servers/official-skills.mjs", import.meta.url));
const appProgram = fileURLToPath(new URL("../../servers/official-app.mjs", import.meta.url));
const monitor = resolve("@modelcontextprotocol/server-system-monitor").replace("server.js", "index.js");
const taskProgram = resolve("@modelcontextprotocol/server-everything/package.json").replace(
  "package.json",
  "dist/index.js",
);
const toCommand = (...args: string[]): CommandTarget => ({ command: process.execPath, args });

export async function startSetting(): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-extensions-"));
  mkdirSync(join(folder, "refunds/references"), { recursive: true });
  writeFileSync(join(folder, "refunds/references/rules.md"), "Refund within 30 days.\n");
  const text = "---\nname: refunds\ndescription: How to refund an order\n---\nFollow references/rules.md.\n";
  writeFileSync(join(folder, "refunds/SKILL.md"), text);
  const server = createOwnServer(folder);
  const serving = await serve(server, { port: 0 });
  const running = await runGateway({
    upstreams: [
      { kind: "http", name: "modern", url: serving.url, headers: {}, era: "modern" },
      { kind: "http", name: "old", url: serving.url, headers: {}, era: "legacy" },
      stdioUpstream("skills", [skillsProgram, folder]),
      stdioUpstream("monitor", [monitor, "--stdio"]),
    ],
  });
  return {
    own: serving.url,
    gateway: running.url,
    official: {
      skills: (revision) => toCommand(skillsProgram, folder, ...(revision === "2025-11-25" ? ["legacy"] : [])),
      app: toCommand(appProgram),
      monitor: toCommand(monitor, "--stdio"),
      tasks: toCommand(taskProgram, "stdio"),
    },
    async close() {
      await running.close();
      await serving.close({ graceMs: 0 });
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function createOwnServer(folder: string) {
  const server = createServer({ name: "own", version: "1.0.0" }).skills(folder);
  server.tool("report", { task: "always", handler: () => ({ rows: 3 }) });
  server.app("cart", {
    html: "<h1>Cart</h1>",
    tool: { handler: () => ({ items: 2 }) },
    text: () => "The cart has 2 items.",
    csp: { connectDomains: ["https://api.shop.example"] },
  });
  server.app("poll", { html: "<h1>Poll</h1>", tool: { handler: () => ({ items: 3 }) }, visibility: ["app"] });
  return server;
}
