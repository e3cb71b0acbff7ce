// Python packages for tests, in their own virtual environment.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce, installWith } from "./install.ts";

export type Python =
  | { readonly python: string; readonly reason?: undefined }
  | { readonly python?: undefined; readonly reason: string };

/** `pins` are requirements as pip takes them. Give every version that matters: pip resolves the rest anew each time. */
export async function installPython(pins: readonly string[]): Promise<Python> {
  const installed = await installOnce("python", pins, async (folder) => {
    await installWith("python3", "-m", "venv", folder);
    await installWith(pythonIn(folder), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...pins);
  });
  return installed.reason === undefined ? { python: pythonIn(installed.folder) } : installed;
}

function pythonIn(folder: string): string {
  return join(folder, "bin", "python");
}

/** FastMCP 2.14.0 does not import with newer releases of what it depends on. */
export const fastmcp214: readonly string[] = ["fastmcp==2.14.0", "mcp==1.24.0", "pydocket<0.16", "fakeredis[lua]<2.33"];

/** A server of `e2e/servers` whose tools request input during a call. */
export const asksScript: string = fileURLToPath(new URL("../servers/fastmcp_asks.py", import.meta.url));

export const newestMcp: readonly string[] = ["mcp==2.3.0"];
export const newestFastmcp: readonly string[] = ["fastmcp==4.1.2", "mcp==2.3.0"];
export const serena: readonly string[] = ["serena-agent==2.1.0"];
