// The code blocks about clients and tasks in the documentation are complete example files.
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const folder = new URL("examples/src/", root);

async function readBlocks(path: string): Promise<string[]> {
  const text = await readFile(new URL(path, root), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}

async function readExamples(): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => /^(?:client|tasks)-.*(?<!\.test)\.ts$/.test(name));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), "utf8")] as const)),
  );
}

it.each(["docs/clients.md", "docs/tasks.md", "packages/client/README.md"])(
  "every code block of %s is an example file",
  async (path) => {
    const codes = [...(await readExamples()).values()];
    const blocks = await readBlocks(path);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(codes).toContain(block);
  },
);

it("docs/clients.md contains every client example, and docs/tasks.md every task example", async () => {
  const pages = { client: await readBlocks("docs/clients.md"), tasks: await readBlocks("docs/tasks.md") };
  for (const [name, code] of await readExamples()) {
    expect(name.startsWith("client-") ? pages.client : pages.tasks, name).toContain(code);
  }
});
