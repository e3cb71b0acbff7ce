// The JSON Schema of configuration files, for programs.
import type { JsonObject } from "@lethe/protocol";

/**
 * Returns the JSON Schema of a gateway's configuration file. `lethe` contains it as `gateway.schema.json`. In it, any text may
 * contain a variable such as `${NAME}`.
 */
export async function configurationSchema(): Promise<JsonObject> {
  const { toFileSchema } = await import("./schema/file.ts");
  return toFileSchema();
}
