// The recording proxy for a client that is not ours: records whatever comes until it is finished.
import { secretsOf } from "@lethe/probe";
import { createClock } from "../record/clock.ts";
import { maskRecording } from "../record/mask.ts";
import { recordHttp } from "../record/record-http.ts";
import type { Comparison } from "./comparison.ts";

export interface RecordTrafficOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Masked wherever they stand; what looks like a secret is anyway. */
  secrets?: readonly string[];
  title?: string;
}

export interface Traffic {
  /** For the client, in place of the server's URL. */
  readonly url: string;
  /** Ends all connections. */
  finish(): Promise<Comparison>;
}

/** Rejects when the port cannot be had. */
export async function recordTraffic(to: URL, options: RecordTrafficOptions = {}): Promise<Traffic> {
  const { port = 0, secrets = [], title = "Recorded traffic" } = options;
  const given = secretsOf({ url: to.href, secrets });
  const { startedAt, now } = createClock();
  const recorder = await recordHttp({ to, port, now });
  return {
    url: recorder.origin + to.pathname + to.search,
    async finish() {
      const endedAt = now();
      await recorder.close();
      const { exchanges, remarks } = recorder;
      const recording = { version: 1, id: "traffic", title, transport: "http", endpoint: to.href, startedAt } as const;
      const whole = { ...recording, endedAt, exchanges, lines: [], steps: [], remarks };
      return { version: 1, script: "whatever the client did", recordings: [maskRecording(whole, { secrets: given })] };
    },
  };
}
