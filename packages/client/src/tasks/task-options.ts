// Options for following tasks (F).
import type { KnownOptions } from "@lethe/protocol";

/** How a client follows tasks. */
export interface TaskOptions {
  /**
   * Subscribes to state changes on the client's listen stream and polls rarely. For servers with many tasks or tasks that
   * change seldom; each new task reopens the stream. Default false: tasks are polled.
   */
  listen?: boolean;
  /** First polling interval if the server names none, in ms. Grows by half each time. Default 1000. */
  pollIntervalMs?: number;
  /** Lower bound of the server's polling interval, in ms. Default 50. */
  minPollMs?: number;
  /** Upper bound of the server's polling interval, in ms. Default 60 000. */
  maxPollMs?: number;
  /** How long a task is followed, in ms. Default one day. */
  maxMs?: number;
  /** How long a server may be unreachable before its task is abandoned, in ms. Default 300 000. */
  maxOutageMs?: number;
  /** How often a task may ask for input. Default 100. */
  maxRounds?: number;
}

export const knownTaskOptions: KnownOptions<TaskOptions> = {
  listen: true,
  pollIntervalMs: true,
  minPollMs: true,
  maxPollMs: true,
  maxMs: true,
  maxOutageMs: true,
  maxRounds: true,
};

export type TaskSettings = Readonly<Required<TaskOptions>>;

export function toTaskSettings(options: TaskOptions): TaskSettings {
  return {
    listen: options.listen ?? false,
    pollIntervalMs: options.pollIntervalMs ?? 1_000,
    minPollMs: options.minPollMs ?? 50,
    maxPollMs: options.maxPollMs ?? 60_000,
    maxMs: options.maxMs ?? 86_400_000,
    maxOutageMs: options.maxOutageMs ?? 300_000,
    maxRounds: options.maxRounds ?? 100,
  };
}
