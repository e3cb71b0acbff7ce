// Describes the types of the administration API as JSON Schema. The compiler checks a description against its interface: each member,
// and whether it is optional.
import type { JsonObject } from "@lethe/protocol";

/** A JSON Schema that describes values of the type T. */
export interface Described<T> {
  readonly schema: JsonObject;
  /** The named schemas that it refers to. */
  readonly components: Components;
  /** Never set. */
  readonly type?: T;
}

export type Components = ReadonlyMap<string, JsonObject>;

/** A member that may be absent. */
export interface Optional<T> extends Described<T> {
  readonly isOptional: true;
}

/** The description of each member. */
export type Members<T> = {
  readonly [K in keyof T]-?: Pick<T, K> extends Required<Pick<T, K>>
    ? Described<T[K]> & { readonly isOptional?: never }
    : Optional<Exclude<T[K], undefined>>;
};

const none: Components = new Map();

export function text(description?: string): Described<string> {
  return plain({ type: "string" }, description);
}

export function time(description?: string): Described<string> {
  return plain({ type: "string", format: "date-time" }, description);
}

export function integer(description?: string): Described<number> {
  return plain({ type: "integer" }, description);
}

export function number(description?: string): Described<number> {
  return plain({ type: "number" }, description);
}

export function flag(description?: string): Described<boolean> {
  return plain({ type: "boolean" }, description);
}

/** A value of any JSON type. */
export function json(description?: string): Described<unknown> {
  return plain({}, description);
}

export function oneOf<const T extends string>(values: readonly T[], description?: string): Described<T> {
  return plain({ type: "string", enum: [...values] }, description);
}

export function orNull<T>({ schema, components }: Described<T>, description?: string): Described<T | null> {
  return { ...plain<T | null>({ anyOf: [schema, { type: "null" }] }, description), components };
}

export function list<T>({ schema, components }: Described<T>, description?: string): Described<readonly T[]> {
  return { ...plain<readonly T[]>({ type: "array", items: schema }, description), components };
}

/** An object with members of any name. */
export function record<T>(
  { schema, components }: Described<T>,
  description?: string,
): Described<Readonly<Record<string, T>>> {
  return {
    ...plain<Readonly<Record<string, T>>>({ type: "object", additionalProperties: schema }, description),
    components,
  };
}

export function optional<T>(described: Described<T>): Optional<T> {
  return { ...described, isOptional: true };
}

/** An object with exactly these members. */
export function object<T extends object>(members: Members<T>, description?: string): Described<T> {
  const all = Object.entries(members) as [string, Described<unknown> & { isOptional?: true }][];
  const required = all.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(all.map(([name, { schema: own }]) => [name, own])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { ...plain<T>(schema, description), components: merge(all.map(([, { components }]) => components)) };
}

/** Gives a schema a name, under which others refer to it. */
export function component<T>(name: string, { schema, components }: Described<T>): Described<T> {
  return {
    schema: { $ref: `#/components/schemas/${name}` },
    components: merge([components, new Map([[name, schema]])]),
  };
}

export function merge(all: readonly Components[]): Components {
  return new Map(all.flatMap((components) => [...components]));
}

function plain<T>(schema: JsonObject, description: string | undefined): Described<T> {
  return { schema: description === undefined ? schema : { ...schema, description }, components: none };
}
