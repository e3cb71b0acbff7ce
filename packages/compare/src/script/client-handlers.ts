// Answers the input requests of a server during a run. The answers are constant, so that runs can be compared.
import type { Handlers } from "@lethe/client";
import type { ClientCapabilities, ElicitFormParams, ElicitValue, FieldSchema, Root } from "@lethe/protocol";

/** Includes the tasks extension: a server creates tasks only for clients that declare it. */
export const clientCapabilities: ClientCapabilities = {
  sampling: {},
  elicitation: { form: {} },
  roots: {},
  extensions: { "io.modelcontextprotocol/tasks": {} },
};

export const clientRoots: Root[] = [{ uri: "file:///home/demo/project", name: "project" }];

export function createInputHandlers(): Handlers {
  return {
    sample: () => ({ role: "assistant", content: { type: "text", text: "a short text" }, model: "lethe-compare" }),
    elicit: ({ requestedSchema }: ElicitFormParams) => ({
      action: "accept",
      content: fillForm(requestedSchema.properties),
    }),
    roots: clientRoots,
  };
}

function fillForm(properties: Readonly<Record<string, FieldSchema>>): Record<string, ElicitValue> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, toValue(field)]));
}

/** Returns the default of the field, else the first allowed value. */
function toValue(field: FieldSchema): ElicitValue {
  if ("default" in field && field.default !== undefined) return field.default;
  switch (field.type) {
    case "boolean":
      return true;
    case "number":
    case "integer":
      return field.minimum ?? 2;
    case "array":
      return [];
    default:
      return toText(field);
  }
}

const samples: Readonly<Record<string, string>> = {
  email: "demo@example.com",
  uri: "https://example.com/",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
};

function toText(field: FieldSchema): string {
  if ("enum" in field && Array.isArray(field.enum)) return String(field.enum[0]);
  if ("oneOf" in field && Array.isArray(field.oneOf)) return String(field.oneOf[0]?.const);
  const { format, minLength = 0 } = field as { format?: string; minLength?: number };
  return (format === undefined ? undefined : samples[format]) ?? "demo".padEnd(minLength, ".");
}
