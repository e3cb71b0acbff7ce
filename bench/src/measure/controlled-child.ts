// Runs an HTTP contender under Node that reports its heap and announces bursts of changes on request.
import { type Child, type HttpChild, startHttpChild } from "./child.ts";

export interface ControlledChild extends HttpChild {
  /** Bytes in use after a garbage collection. */
  heapBytes(): Promise<number>;
  /** Announces this many tool list changes in one turn of the event loop. */
  change(count: number): void;
}

const control = new URL("remote-control.js", import.meta.url).href;

export function isNodeCommand([file]: readonly string[]): boolean {
  return file === process.execPath;
}

/** `prefix` precedes the command, which must run Node. */
export async function startControlledChild(
  prefix: readonly string[],
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ControlledChild> {
  const child = await startHttpChild([...prefix, ...toControlled(command)], { TOOLS: "1", ...env });
  return {
    ...child,
    heapBytes: () => heapBytesOf(child),
    change: (count) => void child.process.stdin.write(`change ${count}\n`),
  };
}

/** The Node command line that `heapBytesOf` requires. */
export function toControlled([node = "", ...args]: readonly string[]): string[] {
  return [node, "--expose-gc", "--import", control, ...args];
}

/** Bytes in use after a garbage collection. */
export function heapBytesOf({ process: { stdin, stdout }, died }: Child): Promise<number> {
  const told = new Promise<number>((resolve) => {
    let said = "";
    const onData = (text: Buffer | string): void => {
      said += text;
      const bytes = /^heap (\d+)$/m.exec(said)?.[1];
      if (bytes === undefined) return;
      stdout.off("data", onData);
      resolve(Number(bytes));
    };
    stdout.on("data", onData);
  });
  stdin.write("heap\n");
  return Promise.race([told, died]);
}
