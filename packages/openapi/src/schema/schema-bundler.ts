// Builds schemas that contain what they refer to. Each part of the spec is translated once for all tools.
import type { JsonObject } from "@lethe/protocol";
import { type Spec, targetOf } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import { type Direction, translateSchema } from "./translate-schema.ts";

/** Characters of one schema with its definitions. */
const maxLength = 262_144;

interface Definition {
  readonly schema: JsonObject | boolean;
  readonly length: number;
  readonly refersTo: ReadonlySet<string>;
}

/** Translates a schema of the spec inside the schema that is being built. */
type Translate = (schema: unknown) => JsonObject | boolean;

export class SchemaBundler {
  readonly #spec: Spec;
  readonly #direction: Direction;
  /** Names in `$defs` by reference. */
  readonly #names: Map<string, string> = new Map();
  readonly #references: Map<string, string> = new Map();
  /** By name. */
  readonly #definitions: Map<string, Definition> = new Map();

  constructor(spec: Spec, direction: Direction) {
    this.#spec = spec;
    this.#direction = direction;
  }

  /** Returns the schema that `build` returns, with `$defs`. Throws SpecProblem if a part cannot be translated or all is too large. */
  bundle(build: (translate: Translate) => JsonObject): JsonObject {
    const used = new Set<string>();
    const root = build((schema) => this.#translate(schema, used));
    let length = lengthOf(root);
    const definitions: [string, unknown][] = [];
    // The set grows while it is read.
    for (const name of used) {
      const definition = this.#definition(name);
      length += definition.length;
      if (length > maxLength) {
        throw new SpecProblem(`its schema has more than ${maxLength} characters with everything that it refers to`);
      }
      definitions.push([name, definition.schema]);
      for (const next of definition.refersTo) used.add(next);
    }
    return definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) };
  }

  #translate(schema: unknown, used: Set<string>): JsonObject | boolean {
    const refer = (reference: unknown) => {
      const name = this.#nameOf(reference);
      used.add(name);
      return name;
    };
    return translateSchema(schema, { direction: this.#direction, ignoresSiblings: this.#spec.ignoresSiblings, refer });
  }

  #definition(name: string): Definition {
    const known = this.#definitions.get(name);
    if (known) return known;
    const refersTo = new Set<string>();
    const schema = this.#translate(targetOf(this.#spec, this.#references.get(name)), refersTo);
    const definition = { schema, length: name.length + lengthOf(schema), refersTo };
    this.#definitions.set(name, definition);
    return definition;
  }

  #nameOf(reference: unknown): string {
    const key = String(reference);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    targetOf(this.#spec, reference);
    const last = key
      .slice(key.lastIndexOf("/") + 1)
      .replace(/[^A-Za-z0-9_.-]/g, "_")
      .slice(0, 100);
    // Also not the name of a member that every object has.
    const isFree = (name: string) => name !== "" && !this.#references.has(name) && !(name in Object.prototype);
    const name = isFree(last) ? last : `${last}+${this.#names.size}`;
    this.#names.set(key, name);
    this.#references.set(name, key);
    return name;
  }
}

function lengthOf(schema: unknown): number {
  try {
    return JSON.stringify(schema).length;
  } catch (error) {
    // Data such as an example may be nested deeper than the stack allows.
    if (error instanceof RangeError) throw new SpecProblem("its schema is nested too deeply");
    throw error;
  }
}
