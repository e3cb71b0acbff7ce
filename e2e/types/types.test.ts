// Compiles programs of users against the built declarations, under two compilers, module resolutions and kinds of optional properties.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const compilers = [
  ["TypeScript 5.9", "typescript-5/package.json"],
  ["TypeScript 7", "typescript/package.json"],
] as const;

/** A compiler of JavaScript takes seconds of a free machine, and many of a busy one. */
const timeoutMs = 300_000;

/** Returns what the compiler prints about the programs in a folder. */
async function compile(manifest: string, folder: string, args: readonly string[] = []): Promise<string> {
  const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve(manifest)));
  const project = fileURLToPath(new URL(folder, import.meta.url));
  const child = spawn(process.execPath, [compiler, "-p", project, "--pretty", "false", ...args], { cwd: project });
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  return printed;
}

describe.each(compilers)("%s", (_name, manifest) => {
  it.each(["inference", "api"])(
    "accepts and rejects what the programs in %s say, with nodenext and exactOptionalPropertyTypes",
    async (folder) => {
      // The declarations of schema libraries take the compiler long and are not ours.
      const args = ["--skipLibCheck", String(folder === "inference")];
      expect(await compile(manifest, folder, args)).toBe("");
    },
    timeoutMs,
  );

  it.each(["inference", "api"])(
    "accepts and rejects what the programs in %s say, with bundler and without exactOptionalPropertyTypes",
    async (folder) => {
      const args = ["--module", "esnext", "--moduleResolution", "bundler", "--exactOptionalPropertyTypes", "false"];
      expect(await compile(manifest, folder, args)).toBe("");
    },
    timeoutMs,
  );

  it(
    "says in a short message which member of a returned value is wrong",
    async () => {
      const printed = await compile(manifest, "messages");
      const first = printed.split("\n").filter((line) => line.startsWith("wrong-returns.ts"));
      expect(first).toHaveLength(5);
      expect(first[0]).toContain(`Type '"fog"' is not assignable to type '"clear" | "rain"'.`);
      expect(printed).toContain("Property 'degrees' is missing in type '{ sky: \"clear\"; }'");
      expect(printed).toContain("Types of property 'sky' are incompatible.");
      expect(first[3]).toContain("'run' does not exist in type 'ToolSchemas<ZodObject<");
      expect(first[4]).toContain("Did you mean to write 'outputSchema'?");
      expect(Math.max(...printed.split("\n").map((line) => line.length))).toBeLessThan(300);
    },
    timeoutMs,
  );
});
