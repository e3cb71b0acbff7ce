// Whether this process is a worker. Apart from what workers need, so that other programs do not load it.

/** In the environment of a worker: "NUMBER ID SLOT". */
export const workerVariable = "LETHE_WORKER";

/** On the global object: the link of this process to its parent. Copies of this module in one process share it. */
export const linkKey: unique symbol = Symbol.for("lethe.parentLink") as never;

export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined || (globalThis as { [linkKey]?: unknown })[linkKey] !== undefined;
}
