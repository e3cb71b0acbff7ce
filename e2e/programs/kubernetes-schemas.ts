// Makes schemas of Kubernetes self-contained and strict, as kubeconform reads them without a network.

export type Json = Readonly<Record<string, unknown>>;

const definitions = "/api/_definitions.json#/$defs/";

/** A schema whose references lead to its own definitions. It contains those that it needs. */
export function toSchema({ $id, ...schema }: Json, all: Json): Json {
  const needed: Record<string, Json> = {};
  const add = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (needed[name]) continue;
      const definition = JSON.stringify(all[name]);
      needed[name] = JSON.parse(definition);
      add(definition);
    }
  };
  const text = JSON.stringify(schema).replaceAll(`"${definitions}`, '"#/$defs/');
  add(text);
  return { ...JSON.parse(text), $defs: needed };
}

interface Version {
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: Json };
}

/** The schema of the version that clusters store, in which an unknown member is an error. */
export function toSchemaOfCustomResource(definition: {
  readonly spec: { readonly versions: readonly Version[] };
}): Json {
  const version = definition.spec.versions.find(({ storage }) => storage);
  if (!version) throw new Error("the definition has no version that clusters store");
  return toStrict(version.schema.openAPIV3Schema) as Json;
}

function toStrict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toStrict);
  if (typeof schema !== "object" || schema === null) return schema;
  const strict = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toStrict(value)]));
  const isClosed = strict.type === "object" && strict.properties !== undefined;
  return isClosed && strict.additionalProperties === undefined ? { ...strict, additionalProperties: false } : strict;
}
