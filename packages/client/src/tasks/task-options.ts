// How a client follows tasks (F).

export interface TaskOptions {
  /**
   * Hears of changes on the stream of the client's subscriptions and asks but rarely (F-23). For servers whose tasks are
   * many or change seldom; each new task makes the stream anew. Default false: tasks are asked after.
   */
  listen?: boolean;
  /** ms; how often to ask a server that does not say how often. Each time it takes half as long again. Default 1000. */
  pollIntervalMs?: number;
  /** ms; the bounds of what a server may say. Default 50 and 60 000. */
  minPollMs?: number;
  maxPollMs?: number;
  /** ms; how long a task is followed. Default one day. */
  maxMs?: number;
  /** ms; how long a server may be out of reach before its task is given up. Default 300 000. */
  maxOutageMs?: number;
  /** How often a task may ask. Default 100. */
  maxRounds?: number;
}

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
