// Finds the OpenTelemetry API, if the operator loaded an SDK before the gateway, for example with `node --import`.
import type { TelemetryOptions } from "@lethe/server/middleware";

type TelemetryApi = TelemetryOptions["api"];

/** The global under which every copy of the API of major version 1 finds the registered SDK. */
const registered = Symbol.for("opentelemetry.js.api.1");

export interface FindTelemetryOptions {
  /** Called with the reason why a loaded SDK cannot be used. */
  onProblem(problem: string): void;
  /** Imports a module. Default: as this module would import it. The running program may have other dependencies. */
  load?(name: string): Promise<unknown>;
}

/** Returns undefined without an SDK, because the API alone would cost time and report to nothing. */
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

/** A copy of the API that is newer than the SDK's ignores the SDK without an error. */
interface ProviderReader {
  readonly trace: { getTracerProvider(): unknown };
}
