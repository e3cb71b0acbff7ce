// What the documentation shows of clients are whole files that run.
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const folder = new URL("examples/src/", root);

async function readBlocks(path: string): Promise<string[]> {
  const text = await readFile(new URL(path, root), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
}

async function readExamples(): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => /^client-.*(?<!\.test)\.ts$/.test(name));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), "utf8")] as const)),
  );
}

it.each(["docs/clients.md", "packages/client/README.md"])("every block of %s is a file", async (path) => {
  const codes = [...(await readExamples()).values()];
  const blocks = await readBlocks(path);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) expect(codes).toContain(block);
});

it("every client example is in docs/clients.md", async () => {
  const blocks = await readBlocks("docs/clients.md");
  for (const [name, code] of await readExamples()) expect(blocks, name).toContain(code);
});
