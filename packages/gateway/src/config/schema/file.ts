// A whole configuration file, as its JSON Schema describes it. Reading it goes part by part, because other products own the file.
import type { JsonObject } from "@lethe/protocol";
import { z } from "zod";
import { gatewayBlock } from "./gateway.ts";
import { httpEntry, openApiEntry, stdioEntry } from "./server.ts";
import { named, openSection, optional, text } from "./values.ts";

const servers = named(z.union([stdioEntry, httpEntry, openApiEntry]));
const inputs = z.array(
  openSection({
    id: text.meta({ description: "The name in `${input:ID}`.", examples: ["github-token"] }),
    description: optional(text, "What to enter.", { examples: ["Token of GitHub"] }),
    default: optional(text, "The value if none is given.", { examples: ["none"] }),
    password: optional(z.boolean(), "Whether the value is a secret.", { default: false }),
  }),
);

const configurationFile = openSection({
  $schema: optional(text, "The JSON Schema of this file, for editors.", {
    examples: ["./node_modules/lethe/gateway.schema.json"],
  }),
  mcpServers: optional(servers, "The servers by name, as in files of desktop clients.", {
    examples: [{ files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } }],
  }),
  servers: optional(servers, "The servers by name, as in `mcp.json` of VS Code. They start in the workspace folder.", {
    examples: [{ github: { type: "http", url: "https://api.githubcopilot.com/mcp/" } }],
  }),
  inputs: optional(inputs, "Values that `${input:ID}` stands for, as in `mcp.json` of VS Code.", {
    examples: [[{ id: "github-token", password: true }]],
  }),
  mcp: optional(
    openSection({
      servers: optional(servers, "The same as `servers` of `mcp.json`."),
      inputs: optional(inputs, "The same as `inputs` of `mcp.json`."),
    }),
    "`servers` and `inputs` in the settings of VS Code.",
    { examples: [{ servers: {}, inputs: [] }] },
  ),
  gateway: optional(gatewayBlock, "Settings of the gateway. All of them are optional."),
});

/** Describes a whole configuration file. */
export function toFileSchema(): JsonObject {
  return { ...toJsonSchema(configurationFile), title: "The configuration file of a Lethe gateway" };
}

/** Describes the input of a schema: what a file contains before variables are replaced. */
function toJsonSchema(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      // zod leaves examples out where a value is transformed. Here they are examples of the input.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      allowVariables(jsonSchema);
    },
  }) as JsonObject;
}

const limits = ["enum", "pattern", "minLength", "maxLength", "format", "allOf"] as const;

/** Any text may contain a variable, whose value the editor does not know. */
function allowVariables(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.type !== "string") return;
  const limited = Object.fromEntries(limits.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])));
  if (Object.keys(limited).length === 0) return;
  for (const name of limits) delete schema[name];
  schema.anyOf = [limited, { pattern: "\\$\\{.+\\}" }];
}
