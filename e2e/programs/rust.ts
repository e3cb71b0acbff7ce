// The Rust program of `e2e/languages/rust`, built once per version of its sources and Cargo.lock.
import { cp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce, installWith } from "./install.ts";

export type RustProgram =
  | { readonly program: string; readonly reason?: undefined }
  | { readonly program?: undefined; readonly reason: string };

const sources = fileURLToPath(new URL("../languages/rust", import.meta.url));

/** Without cargo or the crates, the outcome has the reason. Rejects when the program does not compile. */
export async function buildRust(): Promise<RustProgram> {
  const modules = (await readdir(join(sources, "src"))).sort();
  const names = ["Cargo.lock", "Cargo.toml", ...modules.map((name) => join("src", name))];
  const texts = await Promise.all(names.map((name) => readFile(join(sources, name), "utf8")));
  let isFetched = false;
  const built = await installOnce("rust", texts, async (folder) => {
    for (const name of names) await cp(join(sources, name), join(folder, name));
    const manifest = ["--locked", "--manifest-path", join(folder, "Cargo.toml")];
    await installWith("cargo", "fetch", ...manifest);
    isFetched = true;
    const target = join(folder, "target");
    await installWith("cargo", "build", "--offline", "--jobs", "1", "--target-dir", target, ...manifest);
    await rename(join(target, "debug", "peer"), join(folder, "peer"));
    // A later run does not need these 400 MB.
    await rm(target, { recursive: true });
  });
  if (built.reason === undefined) return { program: join(built.folder, "peer") };
  if (isFetched) throw new Error(`the Rust program does not build: ${built.reason}`);
  return built;
}
