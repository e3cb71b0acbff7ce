// The first server of the READMEs is the file that runs.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

it.each(["README.md", "packages/server/README.md"])(
  "%s contains the code of the first server unchanged",
  async (readme) => {
    const code = await readFile(new URL("examples/src/first-server.ts", root), "utf8");
    const text = await readFile(new URL(readme, root), "utf8");
    expect(text).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
  },
);

it("the first server has fewer than 15 lines", async () => {
  const code = await readFile(new URL("examples/src/first-server.ts", root), "utf8");
  expect(code.trimEnd().split("\n").length).toBeLessThan(15);
});
