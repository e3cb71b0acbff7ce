// Builds images with Buildah, without a daemon and without a registry, in a store of their own.
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What an image says about its containers, as `docker inspect` shows it. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  /** `Test` begins with "CMD". */
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export class Buildah {
  readonly #options: readonly string[];

  /** Keeps images and containers below `folder`. */
  private constructor(folder: string) {
    this.#options = ["--root", join(folder, "images"), "--runroot", join(folder, "run")];
  }

  static async open(folder: string): Promise<Buildah> {
    await mkdir(folder, { recursive: true });
    return new Buildah(folder);
  }

  /** Runs a command and returns what it prints. Rejects with its output. */
  async run(command: string, ...args: string[]): Promise<string> {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run("buildah", [...this.#options, command, ...args], options).catch((error) => {
      const { stdout: out = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`buildah ${command} ${args.join(" ")} failed:\n${`${out}\n${stderr}`.slice(-4_000)}`);
    });
    return stdout.trim();
  }

  async has(image: string): Promise<boolean> {
    return this.run("inspect", "--type", "image", image).then(
      () => true,
      () => false,
    );
  }

  async configOf(image: string): Promise<ImageConfig> {
    return JSON.parse(await this.run("inspect", "--type", "image", image)).Docker.config;
  }

  /** Creates a container and returns the folder with its root file system. */
  async mount(image: string): Promise<string> {
    return this.run("mount", await this.run("from", "--pull-never", image));
  }

  /** Removes all containers. Images stay for the next run. */
  async removeContainers(): Promise<void> {
    await this.run("umount", "--all");
    await this.run("rm", "--all");
  }
}
