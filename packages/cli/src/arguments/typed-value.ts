// Converts text to the type that a schema expects.
import { CommandError } from "../exit-code.ts";
import { alternatives, type Schema, typesOf } from "./schema.ts";

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Text stays text if the schema allows it, or says nothing. Throws CommandError. */
export function toTyped(key: string, text: string, schema: Schema, root: Schema): unknown {
  const types = typesOf(schema, root);
  const members = enumOf(schema, root);
  if (members !== undefined) return toMember(key, text, members);
  if (types.length === 0 || types.includes("string")) return text;
  if (types.includes("null") && text === "null") return null;
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.includes("number") || types.includes("integer")) {
    const value = toNumber(key, text, !types.includes("number"));
    if (value !== undefined) return value;
  }
  if (types.some((type) => type === "object" || type === "array")) {
    throw new CommandError(`"${key}" must be ${types.join(" or ")}; write ${key}:='JSON' or ${key}.NAME=VALUE`);
  }
  throw new CommandError(`"${key}" must be ${words(types)}, got "${text}"`);
}

function words(types: readonly string[]): string {
  return types
    .map((type) =>
      type === "boolean"
        ? "true or false"
        : type === "integer"
          ? "a whole number"
          : type === "number"
            ? "a number"
            : type,
    )
    .join(" or ");
}

function toNumber(key: string, text: string, isWhole: boolean): number | undefined {
  if (!number.test(text)) return undefined;
  const value = Number(text);
  if (!isWhole) return Number.isFinite(value) ? value : undefined;
  if (!Number.isInteger(value)) return undefined;
  if (!Number.isSafeInteger(value)) throw new CommandError(`"${key}" is too large for a JSON number here: ${text}`);
  return value;
}

/** All values that the schema names, or undefined if it also allows others. */
function enumOf(schema: Schema, root: Schema): unknown[] | undefined {
  const lists = alternatives(schema, root).map(({ enum: members, const: only }) =>
    Array.isArray(members) ? members : only === undefined ? undefined : [only],
  );
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

function toMember(key: string, text: string, members: readonly unknown[]): unknown {
  const found = members.find((member) => member === text) ?? members.find((member) => String(member) === text);
  if (found !== undefined || (members.includes(null) && text === "null")) return found ?? null;
  const shown = members.slice(0, 20).map((member) => String(member));
  throw new CommandError(`"${key}" must be ${shown.join(", ")}${members.length > 20 ? ", …" : ""}, got "${text}"`);
}
