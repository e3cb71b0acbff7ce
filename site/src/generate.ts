// Writes the pages of the site to site/pages/: documents of the repository with links that lead to pages, and generated references.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Page, sections } from "./pages.ts";
import { adminReference } from "./references/admin-api.ts";
import { writeApiReference } from "./references/api.ts";
import { cliReference } from "./references/cli.ts";
import { metricsReference } from "./references/metrics.ts";
import { type LinkTargets, rewriteLinks } from "./rewrite-links.ts";

const [root = ".", ...flags] = process.argv.slice(2);
const hasApi = !flags.includes("--without-api");
const folder = join(root, "site/pages");

rmSync(folder, { recursive: true, force: true });
const listed = sections.flatMap(({ pages }) => pages);
requireAllListed(listed);
const documents = listed.filter(({ source }) => source !== undefined && existsSync(join(root, source)));
const targets: LinkTargets = { pages: pathsOf(documents), repository: `${codeHost()}/blob/HEAD/` };
for (const { source = "", path } of documents) {
  writePage(path, rewriteLinks(readFileSync(join(root, source), "utf8"), source, targets));
}
writePage("reference/cli", cliReference());
writePage("reference/metrics", metricsReference());
writePage(
  "reference/admin-api",
  adminReference(readFileSync(join(root, "packages/gateway/testdata/admin-api.json"), "utf8")),
);
if (hasApi) await writeApiReference(root, join(folder, "reference/api"), targets.repository);
cpSync(join(root, "docs/images"), join(folder, "public/images"), { recursive: true });
writeFileSync(join(folder, "sidebar.json"), JSON.stringify(sidebar()));

/** Folders lead to the page of their README.md, as on a code host. */
function pathsOf(pages: readonly Page[]): Map<string, string> {
  return new Map(
    pages.flatMap(({ source = "", path }) => {
      const folderOf = source.replace(/\/?README\.md$/, "");
      return folderOf === source ? [[source, path]] : [[source, path] as const, [folderOf, path] as const];
    }),
  );
}

function writePage(path: string, text: string): void {
  const file = join(folder, `${path === "" || path.endsWith("/") ? `${path}index` : path}.md`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A page that the sidebar does not show would not be found. */
function requireAllListed(pages: readonly Page[]): void {
  const sources = new Set(pages.map(({ source }) => source));
  const files = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const missing = files.filter((file) => file.endsWith(".md") && !sources.has(`docs/${file}`));
  if (missing.length > 0) throw new Error(`site/src/pages.ts does not list docs/${missing.join(", docs/")}`);
}

function sidebar(): object[] {
  const exists = ({ source, path }: Page) =>
    source === undefined ? hasApi || path !== "reference/api/" : existsSync(join(root, source));
  return sections.map(({ title, pages }) => ({
    text: title,
    collapsed: true,
    items: pages.filter(exists).map((page) => ({ text: page.title, link: `/${page.path}` })),
  }));
}

/** The address of the repository in package.json, without "git+" and ".git". */
function codeHost(): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+|\.git$/g, "");
}
