// The schema of a form that a server requests: primitive members, and lists of choices.
import type { RJSFSchema } from "@rjsf/utils";

/** Allows each choice of a list once, so that the form shows the choices instead of a list to add them to. */
export function toFormSchema(schema: RJSFSchema): RJSFSchema {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) =>
    isChoices(member) ? ([name, { ...member, uniqueItems: true }] as const) : ([name, member] as const),
  );
  return { ...schema, properties: Object.fromEntries(members) };
}

type Member = NonNullable<RJSFSchema["properties"]>[string];

function isChoices(member: Member): member is RJSFSchema {
  if (typeof member !== "object" || member.type !== "array") return false;
  const { items } = member;
  if (typeof items !== "object" || Array.isArray(items)) return false;
  return "enum" in items || "anyOf" in items || "oneOf" in items;
}
