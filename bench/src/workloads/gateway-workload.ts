// Measures the overhead of gateways: calls of one stdio server, directly and through each gateway.
import type { Contender } from "../contenders.ts";
import { directName, type GatewayContender, gatewayServer, gateways } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { runHttpLoad } from "../load/http-load.ts";
import { openSession } from "../load/session.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { startGateway } from "../measure/gateway-child.ts";
import { loadColumns, sampleLoad, saturationNotes } from "../measure/load-sample.ts";
import type { Column, Row } from "../measure/section.ts";
import { medianRatio } from "../measure/statistics.ts";
import { formatRatio } from "../measure/table.ts";
import { prepareStdio } from "./stdio-workload.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

/** Many bodies, because a session may not reuse an id in flight and responses take different times. */
const ids = Array.from({ length: 64 * rotation }, (_, index) => index + 1);

const addedColumns: readonly Column[] = [
  { metric: "addedP50", label: "added p50 ms", decimals: 2 },
  { metric: "addedP99", label: "added p99 ms", decimals: 2 },
];

export interface GatewayWorkloadOptions {
  /** The server runs on the core of the gateway, as on a machine with one core. Default: it may use both cores. */
  readonly sharesCore?: boolean;
}

export function gatewayWorkload(inFlight: number, { sharesCore = false }: GatewayWorkloadOptions = {}): Workload {
  const id = `gateway-${inFlight}${sharesCore ? "-one-core" : ""}`;
  const direct: Contender = { name: directName, wire: "legacy", stdio: gatewayServer };
  return {
    id,
    isMain: false,
    async run(given) {
      const plan = sharesCore ? { ...given, cores: { ...given.cores, eitherPrefix: given.cores.prefix } } : given;
      const rows = await takeTurns(plan, [direct, ...gateways], (contender) =>
        "command" in contender ? prepare(contender, inFlight, plan) : prepareStdio(contender, inFlight, plan),
      );
      return {
        id,
        title: `tools/call at a stdio server of the official SDK v1, ${inFlight} in flight${sharesCore ? ", on the core of the gateway" : ""}`,
        columns: inFlight === 1 ? [...loadColumns, ...addedColumns] : loadColumns,
        rows: inFlight === 1 ? withAdded(rows) : rows,
        floor: directName,
        notes: [
          `CPU ms excludes the server that the gateway runs${sharesCore ? "" : ", which may use both cores"}.`,
          ...(inFlight === 1 ? [] : toComparisons(rows)),
          ...(inFlight === 1 || sharesCore ? [] : saturationNotes(rows, "gateway")),
        ],
      };
    },
  };
}

/** The ratios of this project's gateways to each other gateway, within the same round. */
function toComparisons(rows: readonly Row[]): string[] {
  const samplesOf = ({ name }: GatewayContender) => rows.find(({ contender }) => contender === name)?.samples ?? [];
  const peers = gateways.filter(({ isOurs }) => !isOurs);
  return gateways
    .filter(({ isOurs }) => isOurs)
    .map((own) => {
      const ratiosOf = (metric: string) => {
        const ratios = peers.map((peer) => {
          const ratio = medianRatio(samplesOf(own), samplesOf(peer), metric);
          return `${formatRatio(ratio)} x ${peer.name}`;
        });
        return ratios.join(", ");
      };
      return `${own.name}: req/s ${ratiosOf("perSecond")}; CPU ms ${ratiosOf("cpu")}.`;
    });
}

/** The latency that the gateway adds to a direct call, per round. */
function withAdded(rows: readonly Row[]): Row[] {
  const direct = rows.find(({ contender }) => contender === directName)?.samples ?? [];
  return rows.map((row) => ({
    ...row,
    samples: row.samples.map((sample, round) => ({
      ...sample,
      addedP50: difference(sample.p50, direct[round]?.p50),
      addedP99: difference(sample.p99, direct[round]?.p99),
    })),
  }));
}

function difference(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value - base;
}

async function prepare(gateway: GatewayContender, connections: number, { cores, seconds }: Plan): Promise<Ready> {
  const child = await startGateway(gateway, cores);
  const { port } = child;
  try {
    const headers = gateway.hasSession ? await openSession(port) : [];
    const requests = ids.map((id) => toHttpRequest(gateway.wire, greetCall(gateway.wire, id), headers));
    for (const [index, request] of requests.slice(0, rotation).entries()) {
      checkHttpAnswer(await ask(port, request), index + 1, checkGreeting);
    }
    const load = { port, requests, connections };
    await warmUp((seconds) => runHttpLoad({ ...load, seconds }), seconds);
    return {
      async measure() {
        await runHttpLoad({ ...load, seconds: seconds / 10 });
        return sampleLoad(child.pid, () => runHttpLoad({ ...load, seconds }));
      },
      stop: child.stop,
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
