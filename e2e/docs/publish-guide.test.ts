// Packs the server of docs/guides/publish.md as the guide says, and starts what its users would get.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { afterAll, expect, test } from "vitest";

const guide = readFileSync(new URL("../../docs/guides/publish.md", import.meta.url), "utf8");
// Below this repository, where the program finds @lethe/server.
const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".publish-"));
afterAll(() => rmSync(folder, { recursive: true }));

function codeBlock(language: string): string {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
}

test("a server that is packed as the guide says starts from its package and lists its tools", async () => {
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/main.js"), codeBlock("ts"));
  writeFileSync(join(folder, "package.json"), codeBlock("json"));
  execFileSync("npm", ["pack", "--silent"], { cwd: folder });
  execFileSync("tar", ["-xzf", "tea-shop-mcp-1.0.0.tgz"], { cwd: folder });

  const packed = JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")) as {
    bin: { "tea-shop-mcp": string };
  };
  const main = join(folder, "package", packed.bin["tea-shop-mcp"]);
  await using client = await connect({ command: process.execPath, args: [main] });
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["order"]);
});
