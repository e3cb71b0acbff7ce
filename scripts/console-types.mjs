// Writes the types of the console from the OpenAPI document of the administration interface:
//   node scripts/console-types.mjs <packages/gateway/testdata/admin-api.json && npm run format
// console-types.test.ts compares the written file with that document.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const typesFile = fileURLToPath(new URL("../packages/console/src/app/admin/admin-api.ts", import.meta.url));

const head = `// The answers of the administration interface. Written by scripts/console-types.mjs from its OpenAPI document; do not edit.
`;

/** Returns one exported type per schema of the document. */
export function toTypes({ components: { schemas } }) {
  const types = Object.entries(schemas).map(([name, schema]) => {
    const isInterface = schema.type === "object" && schema.properties !== undefined;
    const declared = isInterface ? `interface ${name} ${toType(schema)}` : `type ${name} = ${toType(schema)};`;
    return `${toComment(schema, "")}export ${declared}`;
  });
  return `${head}\n${types.join("\n\n")}\n`;
}

function toType(schema, indent = "") {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf ?? schema.oneOf) return (schema.anyOf ?? schema.oneOf).map((one) => toType(one, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "object":
      return toObjectType(schema, indent);
    case "array": {
      const item = toType(schema.items, indent);
      return `readonly ${/[|]/.test(item) && !item.startsWith("{") ? `(${item})` : item}[]`;
    }
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return "unknown";
  }
}

function toObjectType({ properties, required = [], additionalProperties }, indent) {
  if (!properties) return `Readonly<Record<string, ${toType(additionalProperties ?? {}, indent)}>>`;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? "" : "?";
    return `${toComment(schema, inner)}${inner}readonly ${name}${optional}: ${toType(schema, inner)};`;
  });
  return `{\n${members.join("\n")}\n${indent}}`;
}

function toComment({ description }, indent) {
  return description ? `${indent}/** ${description}. */\n` : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(typesFile, toTypes(JSON.parse(readFileSync(0, "utf8"))));
