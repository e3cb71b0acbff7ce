// Starts the command of an image as `docker run --read-only --cap-drop ALL` does, from namespaces of Linux: a mount namespace with a
// read-only root and memory for /tmp and the volumes, a process namespace in which the command is the first process, the user of the image
// and no capabilities. It shares the network with this machine.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { childrenOf } from "../../processes/process-tree.ts";
import type { ImageConfig } from "./buildah.ts";

export interface ContainerOptions {
  /** The root file system of the image. */
  readonly root: string;
  readonly config: ImageConfig;
  /** Files of this machine, by their path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Its positional parameters are the root and the command. */
const enter = `exec chroot "$0" /bin/sh -c 'cd "$0" && exec "$@"'`;

export class Container {
  readonly #options: ContainerOptions;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #output = "";

  private constructor(options: ContainerOptions) {
    this.#options = options;
    const { root, config } = options;
    const command = [config.WorkingDir, ...toUser(config), ...config.Entrypoint, ...config.Cmd];
    const script = `${toMounts(options)}\n${enter} "$@"`;
    this.#child = spawn("unshare", ["--mount", "--pid", "--fork", "/bin/sh", "-euc", script, root, ...command], {
      env: toEnvironment(options),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exited = once(this.#child, "exit");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => {
        this.#output = (this.#output + text).slice(-100_000);
      });
  }

  static start(options: ContainerOptions): Container {
    return new Container(options);
  }

  /** The last 100,000 characters of stdout and stderr. */
  get output(): string {
    return this.#output;
  }

  /** Runs a command in the container, as `docker exec` does. */
  async exec(...command: string[]): Promise<{ code: number | null; output: string }> {
    const target = ["--target", String(this.#firstProcess()), "--mount", "--pid", "--root"];
    const child = spawn("nsenter", [...target, ...toUser(this.#options.config), ...command], {
      env: toEnvironment(this.#options),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output };
  }

  /** Sends SIGTERM to the first process, as `docker stop` does. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode === null) process.kill(this.#firstProcess(), "SIGTERM");
    return ((await this.#exited) as [number | null])[0];
  }

  /** Ends every process of the container. */
  async kill(): Promise<void> {
    // The end of the first process ends all others.
    for (const { pid } of childrenOf(this.#child.pid ?? 0)) process.kill(pid, "SIGKILL");
    await this.#exited;
  }

  #firstProcess(): number {
    const [first] = childrenOf(this.#child.pid ?? 0);
    if (!first) throw new Error(`the container has ended: ${this.#output}`);
    return first.pid;
  }
}

/** Returns shell commands for the mount namespace. */
function toMounts({ root, config, files = {} }: ContainerOptions): string {
  const [uid, gid] = config.User.split(":");
  const bind = ([path, file]: [string, string]) => {
    const target = `${root}${path}`;
    return `mkdir -p ${dirname(target)}; touch ${target}; mount --bind ${file} ${target}; mount -o remount,bind,ro ${target}`;
  };
  return [
    "mount --make-rprivate /",
    `mount --bind ${root} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --bind /dev ${root}/dev`,
    `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
    ...Object.keys(config.Volumes).map(
      (path) => `mount -t tmpfs -o uid=${uid},gid=${gid},mode=0700 tmpfs ${root}${path}`,
    ),
    ...Object.entries({ "/etc/resolv.conf": "/etc/resolv.conf", ...files }).map(bind),
    `mount -o remount,bind,ro ${root}`,
  ].join("\n");
}

/** The command that becomes the user of the image and gives up every capability. */
function toUser({ User }: ImageConfig): string[] {
  const [uid = "", gid = ""] = User.split(":");
  return ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", "--no-new-privs", "--bounding-set=-all"];
}

function toEnvironment({ config, env }: ContainerOptions): Record<string, string> {
  const own = config.Env.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return { ...Object.fromEntries(own), ...env };
}
