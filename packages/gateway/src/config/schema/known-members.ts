// The members of a schema by name, for the check of options that a program gives.
import type { z } from "zod";
import { optionsOf, shapeOf } from "./schema-walk.ts";

/** As in `KnownOptions`: what a member must be, or the members of an object or of each object of an array. */
export type KnownMembers = { readonly [name: string]: true | "a string" | "a value" | KnownMembers };

export function toKnownMembers(schema: z.core.$ZodType): KnownMembers {
  const members = Object.entries(shapeOf(optionsOf(schema)[0] ?? schema));
  return Object.fromEntries(members.map(([name, member]) => [name, toRule(member)]));
}

function toRule(member: z.core.$ZodType): KnownMembers[string] {
  const [option = member] = optionsOf(member);
  const definition = option._zod.def as z.core.$ZodTypes["_zod"]["def"];
  const item = definition.type === "array" ? definition.element : member;
  const known = toKnownMembers(item);
  if (Object.keys(known).length > 0) return known;
  if (member._zod.optin === "optional") return true;
  return definition.type === "string" ? "a string" : "a value";
}
