// Runs `lethe compare` as a user does. Checks the HTML report in a browser, the files and docs/transports.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main, root, runLethe } from "../processes/lethe.ts";
import { startOfficialV1 } from "./servers.ts";
import { fastmcpPartOf } from "./transports-document.ts";

let folder: string;
let markdown: string;
let browser: Browser;
const chromiumFlags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-e2e-compare-"));
  const [{ code, stdout, stderr }, launched] = await Promise.all([
    runLethe("compare", "--markdown", "--html", join(folder, "report.html"), "--har", join(folder, "har")),
    chromium.launch({ executablePath: "/usr/bin/chromium", args: chromiumFlags }),
  ]);
  browser = launched;
  expect(code, stderr).toBe(0);
  markdown = stdout;
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the HTML report", () => {
  it.each([
    ["a phone", 360, 780],
    ["a tablet", 768, 1024],
    ["a desktop", 1280, 900],
  ])(
    "the HTML report fits the screen of %s, draws every diagram and loads no resources",
    async (_name, width, height) => {
      const page = await browser.newPage({ viewport: { width, height } });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(`file://${folder}/report.html`);
      for (const details of await page.locator("details").all())
        await details.evaluate((one) => one.setAttribute("open", ""));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const diagrams = await page.locator(".sequence").all();
      expect(diagrams).toHaveLength(6);
      for (const diagram of diagrams) {
        const arrows = await diagram.locator(".arrow").evaluateAll((all) =>
          all.map((arrow) => {
            const shaft = arrow.querySelector(".shaft")?.getBoundingClientRect();
            return { wide: shaft?.width ?? 0, high: arrow.getBoundingClientRect().height };
          }),
        );
        expect(arrows.length).toBeGreaterThan(20);
        expect(arrows.every(({ wide, high }) => wide > width / 2 - 50 && high > 20)).toBe(true);
      }
      expect(asked).toEqual([`file://${folder}/report.html`]);
      await page.close();
    },
  );

  it("the HTML report opens an exchange from its number, also by keyboard, and links every section in the contents", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`file://${folder}/report.html`);
    const target = page.locator("#modern-http-6");
    expect(await target.isVisible()).toBe(false);
    await page.locator("#modern-http .evidence a", { hasText: "#6" }).focus();
    await page.keyboard.press("Enter");
    expect(await target.isVisible()).toBe(true);
    expect(await target.textContent()).toContain("tools/call");
    const broken = await page.$$eval("a[href^='#']", (links) =>
      links.map((link) => link.getAttribute("href") ?? "").filter((href) => !document.getElementById(href.slice(1))),
    );
    expect(broken).toEqual([]);
    const ids = await page.$$eval("[id]", (all) => all.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await page.locator("#modern-stdio .evidence a").count()).toBeGreaterThan(8);
    expect(await page.locator("nav a").allTextContents()).toEqual([
      ...["Recommendation", "Quick comparison", "Features"],
      ...(await page.locator("article > h3").allTextContents()),
    ]);
    await page.close();
  });

  it.each(["light", "dark"] as const)(
    "the HTML report draws every arrow in the %s colour scheme",
    async (colorScheme) => {
      const page = await browser.newPage({ viewport: { width: 800, height: 900 }, colorScheme });
      await page.goto(`file://${folder}/report.html`);
      const diagram = page.locator(".sequence").first();
      const picture = `data:image/png;base64,${(await diagram.screenshot()).toString("base64")}`;
      const bare = await diagram.evaluate(findBareArrows, picture);
      expect(bare).toEqual({ arrows: expect.any(Number), bare: [] });
      expect(bare.arrows).toBeGreaterThan(20);
      await page.close();
    },
  );
});

/** Runs in the page. The texts of the arrows that are invisible in their diagram. */
async function findBareArrows(diagram: Element, picture: string): Promise<{ arrows: number; bare: string[] }> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const ink = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  ink.drawImage(image, 0, 0);
  const box = diagram.getBoundingClientRect();
  const arrows = [...diagram.querySelectorAll(".arrow")];
  const bare = arrows.filter((arrow) => {
    const shaft = arrow.querySelector(".shaft") as Element;
    const { left, top, width } = shaft.getBoundingClientRect();
    const [red, green, blue] = (getComputedStyle(shaft).borderTopColor.match(/\d+/g) ?? []).map(Number);
    // A piece from the middle that is longer than the gap between two dashes; coordinates are not whole pixels.
    const { data } = ink.getImageData(left - box.left + width / 2, top - box.top - 1, 24, 4);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) return false;
    }
    return true;
  });
  return { arrows: arrows.length, bare: bare.map((arrow) => arrow.textContent ?? "") };
}

it("lethe compare --har writes one archive for each HTTP transport", async () => {
  expect((await readdir(join(folder, "har"))).sort()).toEqual([
    "http-sse.har",
    "legacy-http-stateless.har",
    "legacy-http.har",
    "modern-http.har",
  ]);
  const { log } = JSON.parse(await readFile(join(folder, "har", "modern-http.har"), "utf8"));
  expect(log.entries.length).toBeGreaterThan(10);
});

it("every feature of 2026-07-28 works over HTTP and stdio, including background tasks (I-33, I-34, I-37)", () => {
  expect(marksOf("Background tasks")).toBe("✓✓✓✓✓✓");
  expect(markdown.match(/All 9 features tried work/g)).toHaveLength(2);
});

it.each(["Sampling", "Elicitation", "Roots", "Logging", "Change notifications"])(
  "%s fails over stateless legacy HTTP only (I-33)",
  (feature) => {
    expect(marksOf(feature)).toBe("✓✗✓✓✓✓");
  },
);

/** Returns one mark for each transport. */
function marksOf(feature: string): string {
  const row = markdown.split("\n").find((line) => /^[| ✓✗—]+$/.test(line.replace(`| ${feature} `, "")));
  return row?.replaceAll(/[^✓✗—]/g, "") ?? "";
}

it("docs/transports.md has the structure and verdicts of the current report (UPDATE=1 writes it)", async () => {
  const file = join(root, "docs", "transports.md");
  if (process.env.UPDATE) await writeFile(file, markdown + fastmcpPartOf(await readFile(file, "utf8")));
  const kept = await readFile(file, "utf8");
  expect(toStructure(markdown)).toEqual(toStructure(kept));
  // No paths of the machine that generated it.
  expect(kept).not.toContain(root);
  expect(kept).not.toMatch(/\/(?:home|tmp|Users|usr)\//);
});

/** The parts that do not depend on the machine: headings, counts and marks. */
function toStructure(report: string): string[] {
  return report
    .split("## On the wire")[0]
    ?.split("\n")
    .filter((line) => !/^(?:\| (?:TCP|Bytes|Time|Cache|Messages)|Script: )/.test(line))
    .map((line) => line.replace(/\d[\d\u202f.]* (?:ms|bytes)/g, "N").replace(/#\d+|line \d+/g, "#N")) as string[];
}

it("lethe compare shows no difference between two runs of one server, and the changed text of another", async () => {
  const files = ["a.json", "b.json"].map((name) => join(folder, name));
  for (const file of files) {
    const { code, stdout } = await runLethe(
      "compare",
      "--json",
      "--timeout",
      "5",
      "--",
      process.execPath,
      "packages/cli/dist/demo.js",
    );
    expect(code).toBe(0);
    await writeFile(file, stdout);
  }
  const same = await runLethe("compare", ...files);
  expect(same.stdout.match(/no difference/g)).toHaveLength(2);
  const [a = ""] = files;
  const changed = join(folder, "c.json");
  await writeFile(changed, (await readFile(a, "utf8")).replaceAll("Hello, ", "Howdy, "));
  expect((await runLethe("compare", a, changed)).stdout).toMatch(/^\+ .*Howdy/m);
});

it("lethe compare --record forwards the requests of any client and prints its recording on SIGINT", async () => {
  const answering = createServer((req, res) => req.pipe(res.writeHead(200, { "content-type": "application/json" })));
  await once(answering.listen(0, "127.0.0.1"), "listening");
  const { port } = answering.address() as AddressInfo;
  const words = ["compare", "--record", "0", "--to", `http://127.0.0.1:${port}/mcp`, "--json"];
  const child = spawn(process.execPath, [main, ...words], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const printed = text(child.stdout);
  const said = createInterface(child.stderr);
  const lines: string[] = [];
  said.on("line", (one) => lines.push(one));
  const hears = (text: string) => expect.poll(() => lines).toContain(text);
  const [line] = (await once(said, "line")) as [string];
  const url = line.match(/Recording at (\S+),/)?.[1] ?? "";
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const answer = await fetch(url, { method: "POST", headers: { authorization: "Bearer s3cr3t-token" }, body });
  expect(await answer.text()).toBe(body);
  await hears("#1 POST /mcp ping → 200");
  child.kill("SIGINT");
  const { recordings } = JSON.parse(await printed);
  expect(recordings[0].exchanges).toMatchObject([
    { request: { target: "/mcp", body }, response: { status: 200, body } },
  ]);
  expect(JSON.stringify(recordings)).not.toContain("s3cr3t-token");
  answering.closeAllConnections();
  answering.close();
});

describe("lethe compare rejects impossible options before it starts any work", () => {
  const record = ["--record", "0", "--to", "http://x"];
  it.each([
    [
      ["http://127.0.0.1:1/mcp"],
      2,
      /is not reachable over any transport\n.*ECONNREFUSED 127.0.0.1:1; check that it runs/,
    ],
    [
      ["--", "/no/such/program"],
      2,
      /is not reachable over any transport\n.*ENOENT.*; check that the command is installed/,
    ],
    [["--record", "70000", "--to", "http://x"], 1, "--record must be a port"],
    [["--record", "0"], 1, "--record needs --to"],
    [["--to", "http://x"], 1, "--to needs --record PORT"],
    [["--record", "0", "--to", "http://me:pass@x"], 1, "--to takes no credentials"],
    [["http://me:pass@127.0.0.1:1"], 1, "credentials in a URL end up in logs and are not sent"],
    [[...record, "http://y"], 1, "--record forwards the requests of another client"],
    [
      [...record, "--html", "/no/such/page.html"],
      1,
      "cannot write /no/such/page.html: /no/such: no such file or folder",
    ],
    [["--script", "/no/such/file"], 1, "/no/such/file: no such file or folder"],
    [["--script", "package.json"], 1, "package.json: steps must be an array, got nothing; a script looks like"],
    [["--script", "README.md"], 1, "README.md is not JSON: Unexpected token"],
    [["http://127.0.0.1:1/mcp", "more"], 1, "names need --config FILE"],
    [["--server", "http://127.0.0.1:1/mcp"], 1, "--server must be NAME=URL"],
    [["--call-all"], 1, "--call-all and --tool need a server"],
    [["--call-all", "--tool", "x", "http://127.0.0.1:1/mcp"], 1, "--call-all and --tool exclude each other"],
    [["--tool", "x", "--script", "y.json", "http://127.0.0.1:1/mcp"], 1, "it takes no --call-all or --tool"],
    [["--header", "a: b", "http://127.0.0.1:1/mcp", "http://127.0.0.1:2/mcp"], 1, "for one target at a time"],
    [["localhost:3000"], 1, "did you mean http://localhost:3000?"],
    [["no-such.json", "package.json"], 1, "no-such.json: no such file or folder"],
    [["package.json", "package.json"], 1, "expected a comparison or a recording of version 1; create a report with"],
    [["package.json", "--header", "a: b"], 1, "it takes no --script, --header or --env"],
    [["package.json", "package.json", "--html", "x"], 1, "they take no other option"],
    [["--html", "docs"], 1, "cannot write docs: it is a folder"],
    [["--html", ""], 1, "--html needs a name"],
    [["--har", "package.json"], 1, "--har needs a folder, and package.json is a file"],
    [["--har", "x", "--html", "./x"], 1, "./x cannot be both"],
    [["--json", "--markdown"], 1, "--json and --markdown exclude each other"],
    [["--timeout", "no"], 1, "--timeout must be a number of seconds"],
    [["--start-timeout", "5", "http://localhost:1/mcp"], 1, "--start-timeout is for a server that is started"],
  ])("%j", async (args, exit, message) => {
    const { code, stdout, stderr } = await runLethe("compare", ...args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("a defect of lethe");
    expect(stdout).toBe("");
    expect(code).toBe(exit);
  });

  it("lethe compare rejects a port that is in use before it starts any work", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const port = String((other.address() as AddressInfo).port);
    const { code, stderr } = await runLethe("compare", "--record", port, "--to", "http://127.0.0.1:1");
    other.close();
    expect(stderr).toContain(`cannot listen on port ${port}: it is in use; 0 takes any free port`);
    expect(code).toBe(1);
  });
});

it("Ctrl-C ends lethe compare and every process that it started", async () => {
  const pids = join(folder, "pids");
  const program = `
    require("fs").appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n");
    setInterval(() => {}, 1000);`;
  const words = ["compare", "--timeout", "60", "--", process.execPath, "-e", program];
  const child = spawn(process.execPath, [main, ...words], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const said = text(child.stderr);
  await expect.poll(() => readFile(pids, "utf8").catch(() => ""), { timeout: 10_000 }).toMatch(/\d\n/);
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  expect(code).toBe(130);
  expect(await said).toMatch(/error: interrupted\s*$/);
  const started = (await readFile(pids, "utf8")).trim().split("\n").map(Number);
  for (const pid of started) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

it("lethe compare shows several servers in one table and calls only the tool of --tool", async () => {
  const { origin, stop } = await startOfficialV1();
  const url = `${origin}/mcp`;
  const words = ["--script", "minimal", "--tool", "greet", "--server", `named=${url}`, url, url];
  const { code, stdout, stderr } = await runLethe("compare", "--json", ...words);
  await stop();
  expect(code, stderr).toBe(0);
  const { report } = JSON.parse(stdout);
  const host = `${new URL(url).host}/mcp`;
  const titles = ["named", host, `${host} (2)`].map((name) => `${name}: Streamable HTTP, 2025-11-25, stateless`);
  expect(report.transports.map(({ title }: { title: string }) => title)).toEqual(titles);
  for (const { verdicts, measures } of report.transports) {
    expect(verdicts.map(({ mark }: { mark: string }) => mark).join("")).toBe("✓✓");
    expect(measures.sent).toBe(4);
  }
  expect(new Set(report.transports.map(({ id }: { id: string }) => id)).size).toBe(3);
});

it("lethe compare shows a saved report again, also as HTML", async () => {
  const [kept, page] = [join(folder, "kept.json"), join(folder, "kept.html")];
  const program = [process.execPath, "packages/cli/dist/demo.js"];
  await writeFile(kept, (await runLethe("compare", "--json", "--", ...program)).stdout);
  const { code, stdout } = await runLethe("compare", kept, "--html", page);
  expect(code).toBe(0);
  expect(stdout).toContain("stdio, 2026-07-28");
  expect(await readFile(page, "utf8")).toContain("Probe findings");
});

describe("lethe compare masks in every output", () => {
  const secret = "s3cr3t/v+lue-9";
  /** Returns its arguments, its environment and its working directory in every response. */
  const indiscreet = `
    const told = JSON.stringify([process.argv, process.env.SECRET, encodeURIComponent(process.env.SECRET)]);
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const serverInfo = { name: told, version: "1" };
      const legacy = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo, instructions: told };
      const tools = { tools: [{ name: "greet", description: told, inputSchema: { type: "object" } }] };
      const results = { initialize: legacy, "tools/list": tools, "tools/call": { content: [{ type: "text", text: told + params?.arguments?.name }] } };
      if (id === undefined) return;
      const error = { code: -32601, message: told };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(results[method] ? { result: results[method] } : { error }) }));
    });`;

  async function outputsOf(name: string, ...words: string[]): Promise<string> {
    const [page, archives] = [join(folder, `${name}.html`), join(folder, `${name}-har`)];
    const json = await runLethe("compare", "--json", "--html", page, "--har", archives, ...words);
    const plain = await runLethe("compare", "--markdown", ...words);
    expect(json.code, json.stderr).toBe(0);
    const files = [page, ...(await readdir(archives)).map((file) => join(archives, file))];
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    return [json.stdout, json.stderr, plain.stdout, plain.stderr, ...texts].join("\n");
  }

  it("lethe compare masks the secrets in the environment and arguments of a command", async () => {
    const file = join(folder, "indiscreet.cjs");
    await writeFile(file, indiscreet);
    const program = [process.execPath, file, "--api-token", "t0ken-of-mine"];
    const output = await outputsOf("stdio", "--env", `SECRET=${secret}`, "--", ...program);
    expect(output).toContain("greet");
    expect(output).not.toContain(secret);
    expect(output).not.toContain(encodeURIComponent(secret));
    expect(output).not.toContain("t0ken-of-mine");
  });

  it("lethe compare masks the secrets in the headers and URL of a server", async () => {
    const server = createServer(async (req, res) => {
      const body = await text(req);
      const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
      const told = JSON.stringify([req.headers, req.url]);
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: told, version: "1" } };
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: told } };
      res.writeHead(method === undefined ? 405 : 200, {
        "content-type": "application/json",
        "set-cookie": `a=${secret}`,
      });
      res.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/mcp?api_key=${encodeURIComponent(secret)}`;
    const headers = [
      "--header",
      `X-Pass: ${secret}`,
      "--header",
      `Authorization: Bearer 0${secret}`,
      "--header",
      "X-Pin: 48151",
    ];
    const output = await outputsOf("http", ...headers, url);
    server.closeAllConnections();
    server.close();
    expect(output).toContain("api_key=***");
    expect(output).not.toContain(secret);
    expect(output).not.toContain(encodeURIComponent(secret));
    expect(output).not.toMatch(/pin: *48151/i);
  });
});
