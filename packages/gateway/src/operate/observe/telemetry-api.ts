// OpenTelemetry, when the operator has set it up: an SDK that was loaded before us, for example with `node --import`.
import type { TelemetryOptions } from "@lethe/server/middleware";

type TelemetryApi = TelemetryOptions["api"];

/** Where every copy of the API of major version 1 keeps what an SDK has registered. */
const registered = Symbol.for("opentelemetry.js.api.1");

export interface FindTelemetryOptions {
  /** Told why an SDK that is there hears nothing. */
  onProblem(problem: string): void;
  /** Only the program that is run knows where its dependencies are. Default: as this module would import it. */
  load?(name: string): Promise<unknown>;
}

/** Undefined without an SDK: the API alone would take its time and tell nobody. */
export async function findTelemetryApi({
  onProblem,
  load = (name) => import(name),
}: FindTelemetryOptions): Promise<TelemetryApi | undefined> {
  const global = (globalThis as Record<symbol, unknown>)[registered] as Registered | undefined;
  if (!global?.trace && !global?.metrics) return undefined;
  try {
    const api = (await load("@opentelemetry/api")) as TelemetryApi & ProviderReader;
    if (!global.trace || api.trace.getTracerProvider() === global.trace) return api;
    onProblem(`an OpenTelemetry SDK is loaded for version ${global.version} of its API, which cannot be used from here: \
install the same @opentelemetry/api beside this program`);
  } catch (error) {
    onProblem(`an OpenTelemetry SDK is loaded, but not its API: ${(error as Error).message}`);
  }
  return undefined;
}

interface Registered {
  version?: string;
  trace?: unknown;
  metrics?: unknown;
}

/** A copy of the API that is newer than the SDK's takes it for nothing, and says so to nobody. */
interface ProviderReader {
  readonly trace: { getTracerProvider(): unknown };
}
