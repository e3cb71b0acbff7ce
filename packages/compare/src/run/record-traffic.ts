// Records the traffic of any HTTP client until finish() is called.

import { secretsOf } from "@lethe/probe";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createClock } from "../record/clock.ts";
import { maskRecording } from "../record/mask.ts";
import { describeMessage, parseAll } from "../record/messages.ts";
import { recordHttp } from "../record/record-http.ts";
import type { HttpExchange } from "../record/recording.ts";
import type { Comparison } from "./comparison.ts";

/** Options of `recordTraffic`. */
export interface RecordTrafficOptions {
  /** The port to listen on. Default 0: any free port. */
  port?: number;
  /** Masked in the recording, in addition to values that look like secrets. */
  secrets?: readonly string[];
  /** The title of the recording. Default "Recorded traffic". */
  title?: string;
  /** Called for each response with a summary without content: "#1 POST /mcp tools/call greet → 200". */
  onResponse?(summary: string): void;
  /** Called with each remark about the connection or the recording. */
  onRemark?(summary: string): void;
}

const knownRecordTrafficOptions: KnownOptions<RecordTrafficOptions> = {
  port: true,
  secrets: true,
  title: true,
  onResponse: true,
  onRemark: true,
};

/** A recording proxy that runs until `finish`. */
export interface Traffic {
  /** The URL that the client uses instead of the server's. */
  readonly url: string;
  /** Closes all connections and returns the recording. */
  finish(): Promise<Comparison>;
}

/** Rejects if the proxy cannot listen on the port. */
export async function recordTraffic(to: URL, options: RecordTrafficOptions = {}): Promise<Traffic> {
  checkOptions("recordTraffic", options, knownRecordTrafficOptions);
  const { port = 0, secrets = [], title = "Recorded traffic", onResponse, onRemark } = options;
  const given = secretsOf({ url: to.href, secrets });
  const { startedAt, now } = createClock();
  const recorder = await recordHttp({
    ...{ to, port, now },
    ...(onRemark && { onRemark }),
    ...(onResponse && { onResponse: (exchange) => onResponse(describeExchange(exchange)) }),
  });
  return {
    url: recorder.origin + to.pathname + to.search,
    async finish() {
      const endedAt = now();
      await recorder.close();
      const { exchanges, remarks } = recorder;
      const recording = { version: 1, id: "traffic", title, transport: "http", endpoint: to.href, startedAt } as const;
      const whole = { ...recording, endedAt, exchanges, lines: [], steps: [], remarks };
      return {
        version: 1,
        script: "recorded traffic of another client",
        recordings: [maskRecording(whole, { secrets: given })],
      };
    },
  };
}

function describeExchange({ number, request, response }: HttpExchange): string {
  const path = request.target.replace(/[?#].*$/s, "");
  const words = parseAll(request.body).map(describeMessage).join(", ");
  return [`#${number}`, request.verb, path, words, "→", response?.status].filter((part) => part !== "").join(" ");
}
