// The web console of lethe dev in a real browser: it calls the server, follows its reloads, and serves no other page.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openBrowser, openPage, violationsOf } from "../console/testing/browser.ts";
import { main, root } from "../processes/lethe.ts";
import { ownState } from "../processes/testing/own-state.ts";
import { recordingEnvironment } from "../wire/testing/recorded-children.ts";

let folder: string;
let browser: Browser;
let dev: ChildProcess;
let address: URL;

const saveServer = (tool: string, words: string) =>
  writeFile(
    join(folder, "server.ts"),
    `import { createServer } from "@lethe/server";
const server = createServer({ name: "notes", version: "1.0.0" });
server.tool("${tool}", { description: "Says ${words}", handler: () => "${words} from the handler" });
export default server;
`,
  );

/** Starts the command, and returns the address that it prints for the console. */
async function startDev(): Promise<URL> {
  dev = spawn(process.execPath, [main, "dev", "server.ts", "--port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...ownState, ...recordingEnvironment() },
  });
  let output = "";
  dev.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  await vi.waitFor(() => expect(output).toMatch(/web console:\n {2}\S+\n/), { timeout: 20_000, interval: 20 });
  return new URL(output.match(/web console:\n {2}(\S+)\n/)?.[1] ?? "");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-project-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "project", type: "module" }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await saveServer("greet", "first words");
  [browser, address] = await Promise.all([openBrowser(), startDev()]);
});
afterAll(async () => {
  await browser?.close();
  dev?.kill("SIGINT");
  if (dev?.exitCode === null) await once(dev, "close");
  await rm(folder, { recursive: true });
});

it("lists the tools of the server, calls one, and shows a tool that a reload has changed", async () => {
  const { page, faults } = await openPage(browser, address.origin);
  page.setDefaultTimeout(20_000);
  await page.goto(address.origin);
  await page.getByRole("button", { name: /greet/ }).click();
  expect(page.url()).toContain("/console/playground");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const result = page.getByRole("region", { name: /^Result of/ });
  await result.getByText("first words from the handler").first().waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await saveServer("greet", "second words");
  await page.getByText("Says second words").first().waitFor();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await result.getByText("second words from the handler").first().waitFor();

  await page.goto(new URL("live", address).href);
  await page.getByRole("heading", { name: "This server has no administration" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Call its tools in the playground" }).click();
  await page.getByRole("button", { name: /greet/ }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it.each([
  ["a page of another origin", { origin: "https://evil.example" }],
  ["a page whose name was rebound to this machine", { host: "evil.example" }],
])("refuses %s", async (_name, headers) => {
  // fetch sets Host itself.
  for (const path of ["/console/settings.json", "/mcp"]) {
    const sent = request(new URL(path, address), { headers });
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    expect([path, response.statusCode, response.headers["access-control-allow-origin"]]).toEqual([
      path,
      403,
      undefined,
    ]);
  }
});
