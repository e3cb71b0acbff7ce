// The command line of the program that counts what a large deployment costs.
import { parseArgs } from "node:util";

export const usage = `npm run simulate -- --scale [options]

Starts replicas with the real directory on a simulated network and Redis, lets callers open sessions, and counts commands, messages,
bytes and memory. All times are simulated.

  --replicas N      how many replicas (default 10); a list such as 10,30,100 runs each of them with the first number of sessions
  --sessions M      how many sessions (default 10,000); a list runs the further numbers with the last number of replicas
  --calls R         calls per second of all callers (default 10,000)
  --seconds S       how long callers call, for each kind of call (default 1)
  --json            print JSON instead of a table
  --quiet           do not report progress`;

/** One deployment to measure. */
export interface Deployment {
  readonly replicas: number;
  readonly sessions: number;
  readonly callsPerSecond: number;
  readonly seconds: number;
}

export interface ScaleOptions {
  readonly deployments: readonly Deployment[];
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Throws an Error that names a wrong option. */
export function parseScaleOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      replicas: { type: "string", default: "10" },
      sessions: { type: "string", default: "10000" },
      calls: { type: "string", default: "10000" },
      seconds: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
    },
  });
  const replicas = toCounts("replicas", values.replicas, 2);
  const sessions = toCounts("sessions", values.sessions, Math.max(...replicas));
  const load = {
    callsPerSecond: toCounts("calls", values.calls, 1)[0] as number,
    seconds: toCounts("seconds", values.seconds, 1)[0] as number,
  };
  const deployments = [
    ...replicas.map((count) => ({ replicas: count, sessions: sessions[0] as number, ...load })),
    ...sessions.slice(1).map((count) => ({ replicas: replicas.at(-1) as number, sessions: count, ...load })),
  ];
  return { deployments, isJson: values.json, isQuiet: values.quiet };
}

function toCounts(name: string, text: string, least: number): number[] {
  const counts = text.split(",").map(Number);
  if (counts.every((count) => Number.isInteger(count) && count >= least)) return counts;
  throw new Error(`--${name}: whole numbers of at least ${least}, separated by commas, expected, got ${text}`);
}
