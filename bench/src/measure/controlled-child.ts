// An HTTP contender under Node that tells its heap and takes changes in bursts.
import { type HttpChild, startHttpChild } from "./child.ts";

export interface ControlledChild extends HttpChild {
  /** Bytes in use after a garbage collection. */
  heapBytes(): Promise<number>;
  /** So many changed tool lists in one turn of its event loop. */
  change(count: number): void;
}

const control = new URL("remote-control.js", import.meta.url).href;

export function isNodeCommand([file]: readonly string[]): boolean {
  return file === process.execPath;
}

/** `prefix` is put before the command, which has to be one of Node. */
export async function startControlledChild(
  prefix: readonly string[],
  [node = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ControlledChild> {
  const command = [...prefix, node, "--expose-gc", "--import", control, ...args];
  const child = await startHttpChild(command, { TOOLS: "1", ...env });
  const { stdin, stdout } = child.process;
  return {
    ...child,
    heapBytes() {
      const told = new Promise<number>((resolve) => {
        let said = "";
        const onData = (text: string): void => {
          said += text;
          const bytes = /^heap (\d+)$/m.exec(said)?.[1];
          if (bytes === undefined) return;
          stdout.off("data", onData);
          resolve(Number(bytes));
        };
        stdout.on("data", onData);
      });
      stdin.write("heap\n");
      return Promise.race([told, child.died]);
    },
    change: (count) => void stdin.write(`change ${count}\n`),
  };
}
