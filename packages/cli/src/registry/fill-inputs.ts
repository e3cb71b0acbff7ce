// Fills the inputs of a registry entry with the values that the user gave, and collects those that are missing.
import type { Input, NamedInput } from "./parse-entry.ts";

interface Missing {
  readonly name: string;
  readonly description: string;
}

export class InputValues {
  readonly #given: Readonly<Record<string, string>>;
  /** Writes `${NAME}` for required variables, headers and secrets instead of reporting them as missing. */
  readonly #refersToEnvironment: boolean;
  readonly #known = new Set<string>();
  readonly missing: Missing[] = [];
  readonly problems: string[] = [];
  /** The variables that the environment must have. */
  readonly references: Missing[] = [];

  constructor(given: Readonly<Record<string, string>>, refersToEnvironment: boolean) {
    this.#given = given;
    this.#refersToEnvironment = refersToEnvironment;
  }

  /** Names that the user gave and the entry does not have. */
  get unknown(): string[] {
    return Object.keys(this.#given).filter((name) => !this.#known.has(name));
  }

  get known(): string[] {
    return [...this.#known];
  }

  /** Returns undefined for an optional input without a value. `isVariable` is true for variables of the environment and headers. */
  fill(input: NamedInput, isVariable = false): string | undefined {
    if (input.value !== undefined) return this.fillText(input.value, input.variables);
    return this.#valueOf(input.name, input, isVariable);
  }

  /** Replaces `{name}`. Unknown names stay, as the format requires. */
  fillText(text: string, variables: Readonly<Record<string, Input>>): string {
    return text.replaceAll(/\{([^{}]{1,200})\}/g, (whole, name: string) => {
      const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (variable === undefined) return whole;
      return variable.value ?? this.#valueOf(name, variable, false) ?? whole;
    });
  }

  #valueOf(name: string, input: Input, isVariable: boolean): string | undefined {
    this.#known.add(name);
    const { description, choices, isRequired, isSecret } = input;
    const given = Object.hasOwn(this.#given, name) ? this.#given[name] : undefined;
    if (given !== undefined && choices.length > 0 && !choices.includes(given)) {
      this.problems.push(`${name} must be one of ${choices.join(", ")}, got "${given}"`);
    }
    if (given !== undefined || input.default !== undefined) return given ?? input.default;
    if (!isRequired) return undefined;
    if (this.#refersToEnvironment && (isVariable || isSecret)) return this.#refer(name, description);
    this.missing.push({ name, description });
    return undefined;
  }

  #refer(name: string, description: string): string {
    const variable = name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replace(/^(?=\d)/, "_");
    if (!this.references.some((reference) => reference.name === variable)) {
      this.references.push({ name: variable, description });
    }
    return `\${${variable}}`;
  }
}
