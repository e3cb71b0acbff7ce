// OpenTelemetry, when the operator has set it up: an SDK that was loaded before us, for example with `node --import`.
import type { TelemetryOptions } from "@lethe/server";

type TelemetryApi = TelemetryOptions["api"];

/** Where every copy of the API of major version 1 keeps what an SDK has registered. */
const registered = Symbol.for("opentelemetry.js.api.1");

/**
 * Undefined without an SDK: the API alone would take its time and tell nobody. `load` is here because only the program
 * that is run knows where its dependencies are.
 */
export async function findTelemetryApi(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<TelemetryApi | undefined> {
  const global = (globalThis as Record<symbol, unknown>)[registered] as
    | { trace?: unknown; metrics?: unknown }
    | undefined;
  if (!global?.trace && !global?.metrics) return undefined;
  return (await load("@opentelemetry/api")) as TelemetryApi;
}
