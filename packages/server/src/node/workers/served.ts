// What `serve` returns, as the modules of workers see it.

import type { ServingLoad } from "../../http/serving-load.ts";

export interface Served {
  readonly url: string;
  readonly port: number;
  readonly connections: number;
  readonly load: ServingLoad;
  close(options?: { graceMs?: number; delayMs?: number }): Promise<void>;
}
