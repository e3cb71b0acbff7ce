// The recording proxy for a client that is not ours: records whatever comes until it is finished.
import { secretsOf } from "@lethe/probe";
import { createClock } from "../record/clock.ts";
import { maskRecording } from "../record/mask.ts";
import { describeMessage, parseAll } from "../record/messages.ts";
import { recordHttp } from "../record/record-http.ts";
import type { HttpExchange } from "../record/recording.ts";
import type { Comparison } from "./comparison.ts";

export interface RecordTrafficOptions {
  /** Default 0: any free one. */
  port?: number;
  /** Masked wherever they stand; what looks like a secret is anyway. */
  secrets?: readonly string[];
  title?: string;
  /** Hears of each answer in a few words: "#1 POST /mcp tools/call greet → 200". Not of what they hold. */
  onAnswer?(words: string): void;
  /** Called with each remark about the connection or the recording. */
  onRemark?(words: string): void;
}

export interface Traffic {
  /** For the client, in place of the server's URL. */
  readonly url: string;
  /** Ends all connections. */
  finish(): Promise<Comparison>;
}

/** Rejects when the port cannot be had. */
export async function recordTraffic(to: URL, options: RecordTrafficOptions = {}): Promise<Traffic> {
  const { port = 0, secrets = [], title = "Recorded traffic", onAnswer, onRemark } = options;
  const given = secretsOf({ url: to.href, secrets });
  const { startedAt, now } = createClock();
  const recorder = await recordHttp({
    ...{ to, port, now },
    ...(onRemark && { onRemark }),
    ...(onAnswer && { onAnswer: (exchange) => onAnswer(describeAnswer(exchange)) }),
  });
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

function describeAnswer({ number, request, response }: HttpExchange): string {
  const path = request.target.replace(/[?#].*$/s, "");
  const words = parseAll(request.body).map(describeMessage).join(", ");
  return [`#${number}`, request.verb, path, words, "→", response?.status].filter((part) => part !== "").join(" ");
}
