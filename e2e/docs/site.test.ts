// Builds the documentation site and checks its links, that it needs no other host, and that its search answers docs/questions.md.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sections } from "../../site/src/pages.ts";
import {
  type BuiltPage,
  brokenLinks,
  createSearch,
  dist,
  foreignResources,
  readPages,
  root,
} from "./testing/built-site.ts";
import { type ServedFolder, serveFolder } from "./testing/served-folder.ts";

interface Question {
  readonly question: string;
  readonly words: string;
  /** The path of the page that answers, with the section if the table names one. */
  readonly answer: string;
}

const pathOfSource = new Map(sections.flatMap(({ pages }) => pages.map(({ source, path }) => [source, `/${path}`])));

function readQuestions(): Question[] {
  const text = readFileSync(join(root, "docs/questions.md"), "utf8");
  const rows = [...text.matchAll(/^\| (.+?)\s*\| `(.+?)`\s*\| \[.*?\]\((.+?)\)\s*\|$/gm)];
  return rows.map(([, question = "", words = "", target = ""]) => {
    const [file = "", section] = target.split("#");
    const source = posix.join("docs", file);
    const page = pathOfSource.get(source) ?? source;
    return { question, words, answer: section === undefined ? page : `${page}#${section}` };
  });
}

let pages: ReadonlyMap<string, BuiltPage>;
let search: (words: string) => string[];

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ["site/build.mjs"], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  pages = readPages();
  search = await createSearch();
}, 1_800_000);

describe("the pages", () => {
  it("include every document of the sidebar and the generated references", () => {
    expect(pages.size).toBeGreaterThan(80);
    for (const path of ["/", "/reference/cli", "/reference/metrics", "/reference/admin-api", "/reference/api/"])
      expect([...pages.keys()]).toContain(path);
  });

  it("have only links that lead to a page with its anchor, or to a file of the repository", () => {
    expect(brokenLinks(pages)).toEqual([]);
  });

  it("load nothing from another host", () => {
    expect(foreignResources(pages)).toEqual([]);
  });
});

describe("the references", () => {
  it("list every command with its options and exit codes", () => {
    const html = pages.get("/reference/cli")?.html ?? "";
    for (const text of ["lethe gateway check", "--fail-fast", "Exit codes:"]) expect(html).toContain(text);
  });

  it("list the metrics with their labels", () => {
    const html = pages.get("/reference/metrics")?.html ?? "";
    expect(html).toMatch(/lethe_requests_total.*?counter.*?upstream/s);
  });

  it("list the functions of the packages by the name that programs import", () => {
    expect(pages.get("/reference/api/@lethe/server")?.anchors).toContain("createserver");
  });
});

describe("the search", () => {
  const questions = readQuestions();

  it("has 55 questions of operators and 56 of authors to answer", () => {
    expect(questions).toHaveLength(111);
  });

  it.each(questions)("answers $question within two pages", ({ words, answer }) => {
    const found = search(words).slice(0, 2);
    expect(answer.includes("#") ? found : found.map((result) => result.split("#", 1)[0])).toContain(answer);
  });
});

describe("in a browser", () => {
  let site: ServedFolder;

  beforeAll(async () => {
    site = await serveFolder(dist);
  });
  afterAll(() => site.close());

  it("draws diagrams and searches without a request to another host", async () => {
    await using browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    const page = await browser.newPage();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${site.url}/concepts/gateway`);
    // The library of diagrams is large for a busy machine.
    await page.locator(".diagram svg").first().waitFor({ timeout: 90_000 });
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill("invalid host header");
    await page.locator("#localsearch-list a").first().waitFor();
    expect(await page.locator("#localsearch-list").textContent()).toContain("Troubleshooting");
    expect([...hosts].filter((host) => host !== "" && host !== new URL(site.url).host)).toEqual([]);
  }, 180_000);
});
