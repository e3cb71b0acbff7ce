// The Go program of `e2e/languages/go`, built once per version of its sources and pins.
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce, installWith } from "./install.ts";

export type GoProgram =
  | { readonly program: string; readonly reason?: undefined }
  | { readonly program?: undefined; readonly reason: string };

const sources = fileURLToPath(new URL("../languages/go", import.meta.url));

export async function buildGo(): Promise<GoProgram> {
  const names = (await readdir(sources)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(sources, name), "utf8")));
  const built = await installOnce("go", texts, async (folder) => {
    await cp(sources, folder, { recursive: true });
    await installWith("go", "build", "-C", folder, "-o", "peer", ".");
  });
  return built.reason === undefined ? { program: join(built.folder, "peer") } : built;
}
