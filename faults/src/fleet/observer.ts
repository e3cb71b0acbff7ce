// What an operator sees of the replicas: /readyz and metrics, sampled, and the events of their logs.

import type { Span } from "../check/records.ts";

export interface Sighting {
  readonly at: number;
  readonly replica: number;
  readonly what: string;
}

const sampleMs = 500;
const maxSightings = 5_000;
const metrics = ["lethe_shared_up", "lethe_shared_problem", "lethe_replicas"];

/** A replica that needs longer for an answer did not get the processor: load balancers may give up its calls. In ms. */
const slowMs = 1_000;

export class Observer {
  readonly sightings: Sighting[] = [];
  /** Times in which a replica answered late, because it was suspended or the machine was too busy. */
  readonly stalls: Span[] = [];
  readonly #last = new Map<string, string>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Samples replicas at these ports until `stop`. */
  start(ports: readonly number[]): void {
    this.#timer = setInterval(() => {
      for (const [replica, port] of ports.entries()) void this.#sample(replica, port);
    }, sampleMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One line of the log of a replica. Requests are not noted. */
  readLine(replica: number, line: string): void {
    if (!line.startsWith("{")) return;
    try {
      const { level, event, message } = JSON.parse(line) as Record<string, string>;
      if (event === "request" || event?.startsWith("request.")) return;
      if (level === "info" && event?.startsWith("session.")) return;
      this.#see(replica, `log ${level === "info" ? "" : `${level} `}${event}: ${String(message).slice(0, 160)}`);
    } catch {}
  }

  async #sample(replica: number, port: number): Promise<void> {
    const begin = this.#now();
    const ready = await read(`http://127.0.0.1:${port}/readyz`);
    const end = this.#now();
    if (end - begin > slowMs && this.stalls.length < maxSightings)
      this.stalls.push({ name: `replica ${replica}`, begin, end });
    this.#change(replica, "readyz", ready.split("\n")[0] ?? "");
    const text = await read(`http://127.0.0.1:${port}/metrics`);
    for (const line of text.split("\n")) {
      const name = metrics.find((metric) => line.startsWith(metric));
      const space = line.lastIndexOf(" ");
      if (name) this.#change(replica, line.slice(0, space), line.slice(space + 1));
    }
  }

  #change(replica: number, name: string, value: string): void {
    const key = `${replica} ${name}`;
    if (this.#last.get(key) === value) return;
    this.#last.set(key, value);
    this.#see(replica, `${name} ${value}`);
  }

  #see(replica: number, what: string): void {
    if (this.sightings.length < maxSightings) this.sightings.push({ at: this.#now(), replica, what });
  }
}

/** The status and the body. */
async function read(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return `${response.status} ${(await response.text()).trim()}`;
  } catch (error) {
    return (error as Error).name === "TimeoutError" ? "no reply within 2 s" : "refused";
  }
}

/** The metric of a replica, added up over its labels. 0 without it. */
export async function readMetric(port: number, name: string): Promise<number> {
  const text = await read(`http://127.0.0.1:${port}/metrics`);
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}
