// The options of a server in development.

import type { DevEvent } from "./dev-event.ts";
import type { ListenOptions, StdioStreams } from "./edge.ts";
import type { EnvironmentFiles } from "./environment.ts";

export interface DevOptions {
  /** The author's file, as an absolute path. */
  readonly entry: string;
  /** The words for `process.argv` of the code. */
  readonly args: readonly string[];
  readonly environment: EnvironmentFiles;
  /** Further files whose change reloads the code. */
  readonly watched: readonly string[];
  /** The program of the processes that run the code. */
  readonly runner: string;
  /** Exactly one of both. */
  readonly http?: ListenOptions;
  readonly stdio?: StdioStreams;
  onEvent(event: DevEvent): void;
}
