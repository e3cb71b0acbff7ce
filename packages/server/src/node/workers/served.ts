// What `serve` returns, as the modules of workers see it.

export interface Served {
  readonly url: string;
  readonly port: number;
  readonly connections: number;
  close(options?: { graceMs?: number; delayMs?: number }): Promise<void>;
}
