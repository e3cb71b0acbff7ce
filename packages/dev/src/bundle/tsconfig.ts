// The tsconfig.json that applies to a folder. The bundler reads it; here it is only watched.
import { access } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The paths of the files that may configure `folder`: the first one that exists, and those before it. */
export async function findTsconfig(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    const file = join(current, "tsconfig.json");
    found.push(file);
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) return found;
    // A missing file in every folder up to the root would be watched in vain.
    if (dirname(current) === current) return found.slice(0, 1);
  }
}
