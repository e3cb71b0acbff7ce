// The processes that one connection attempt starts, and the stderr of the last one.
import { pickOptions } from "@lethe/protocol";
import { knownSpawnOptions, type ServerProcess, type SpawnOptions, type SpawnTarget, spawnServer } from "./spawn.ts";
import type { StartActivity } from "./start-activity.ts";
import { createStdioWire, knownStdioOptions, type StdioOptions, type StdioWire } from "./stdio.ts";

export interface Launcher {
  /** The command line. */
  readonly name: string;
  /** The server's key in a verdict memory: the same command may be another program in another folder. */
  readonly key: string;
  /** `activity` receives each line that the process writes and that is no message. */
  launch(activity?: StartActivity): Promise<StdioWire>;
  /** Stops the previous process first. */
  relaunch(before: StdioWire): Promise<StdioWire>;
  /** The stderr of the last process. */
  stderrTail(): string;
  /** Stops the launched process, and every later one. */
  giveUp(): Promise<void>;
}

export function createLauncher(target: SpawnTarget, options: SpawnOptions & StdioOptions): Launcher {
  const wires: StdioWire[] = [];
  const name = [target.command, ...(target.args ?? [])].join(" ");
  let isGivenUp = false;
  let last: ServerProcess | undefined;

  async function launch(activity?: StartActivity): Promise<StdioWire> {
    const heard = activity ? withActivity(options, activity) : options;
    last = await spawnServer(target, pickOptions<SpawnOptions>(heard, knownSpawnOptions));
    const wire = createStdioWire(last, pickOptions<StdioOptions>(heard, knownStdioOptions));
    wires.push(wire);
    if (isGivenUp) await wire.close();
    return wire;
  }

  return {
    name,
    stderrTail: () => last?.stderrTail() ?? "",
    key: target.cwd === undefined ? name : `${name} (in ${target.cwd})`,
    launch,
    async relaunch(before) {
      await before.close();
      return await launch();
    },
    async giveUp() {
      isGivenUp = true;
      await Promise.all(wires.map((wire) => wire.close()));
    },
  };
}

function withActivity(options: SpawnOptions & StdioOptions, activity: StartActivity): SpawnOptions & StdioOptions {
  return {
    ...options,
    onStderr(line) {
      activity.onStderr();
      options.onStderr?.(line);
    },
    onJunk(line) {
      activity.onStdout();
      options.onJunk?.(line);
    },
  };
}
