// The author's files as one module: what it is made of, and where errors are.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "./bundle.ts";

const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
let folder: string;
let bundler: Bundler | undefined;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lethe-bundle-")));
});
afterEach(async () => {
  await bundler?.close();
  rmSync(folder, { recursive: true });
});

async function build(files: Readonly<Record<string, string>>, entry: string) {
  for (const [name, text] of Object.entries(files)) write(name, text);
  mkdirSync(join(folder, "out"), { recursive: true });
  bundler = await createBundler({ entry: join(folder, entry), folder: join(folder, "out") });
  return await bundler.build();
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const inFolder = (files: readonly string[]) => files.map((file) => file.replace(`${folder}/`, "")).sort();

describe("the bundle", () => {
  it("contains imported files, also by paths of tsconfig.json, and leaves packages where they are", async () => {
    symlinkSync(modules, join(folder, "node_modules"));
    const outcome = await build(
      {
        "tsconfig.json": '{ "compilerOptions": { "paths": { "@words/*": ["./src/words/*"] } } }',
        "src/words/hello.ts": "export enum Word { Hello = 'hello' }",
        "src/local.cjs": "exports.folder = __dirname;",
        "src/server.tsx": `import { readFile } from "node:fs/promises";
import { z } from "zod";
import { Word } from "@words/hello.js";
import { folder } from "./local.cjs";
export const values: unknown[] = [Word.Hello, folder, import.meta.url, readFile, z];
await Promise.resolve();
`,
      },
      "src/server.tsx",
    );
    if (!("bundle" in outcome)) throw new Error(JSON.stringify(outcome));
    const { files, packages, url } = outcome.bundle;
    expect(inFolder(files)).toEqual([
      ...["src/local.cjs", "src/server.tsx", "src/tsconfig.json", "src/words/hello.ts", "tsconfig.json"],
    ]);
    expect(packages.map((id) => id.replace(/.*node_modules/, ""))).toEqual(["/zod/index.js"]);
    const text = readFileSync(fileURLToPath(url), "utf8");
    expect(text).toContain(JSON.stringify(`file://${folder}/src/server.tsx`));
    expect(text).toContain(JSON.stringify(`${folder}/src`));
  });

  it("keeps its hash while the code is the same", async () => {
    const first = await build({ "server.ts": "export const a: number = 1;" }, "server.ts");
    write("server.ts", "export const a: number = 1;\n// a comment");
    const second = await bundler?.build();
    write("server.ts", "export const a = 2;");
    const third = await bundler?.build();
    const hashes = [first, second, third].map((outcome) => outcome && "bundle" in outcome && outcome.bundle.hash);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  it("names the place of an error, and also watches the files that an import may mean", async () => {
    const outcome = await build({ "server.ts": 'import { a } from "./missing.js";\nexport default a;' }, "server.ts");
    expect(outcome).toMatchObject({
      problems: [{ text: expect.stringContaining("Could not resolve"), place: { line: 1, column: 19 } }],
    });
    expect(inFolder("bundle" in outcome ? [] : outcome.files)).toEqual(
      expect.arrayContaining(["server.ts", "missing.js", "missing.ts"]),
    );
    write("missing.ts", "export const a = 1;");
    expect(await bundler?.build()).toHaveProperty("bundle");
  });

  it("keeps the lines of a program that begins with a line for the shell", async () => {
    const text = "#!/usr/bin/env node\nconst here = import.meta.url;\nexport const wrong = ;\n";
    expect(await build({ "server.ts": text }, "server.ts")).toMatchObject({
      problems: [{ place: { line: 3, column: 22, lineText: "export const wrong = ;" } }],
    });
  });
});
