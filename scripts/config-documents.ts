// Turns the JSON Schema of the configuration file into the types and names of its settings and into the reference of its keys.

/** The parts of JSON Schema that the configuration uses. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** Entries of servers have types of their own, because files of other products spell them in several ways. */
const withoutType = new Set(["LocalServer", "RemoteServer", "ApiServer"]);

const typesHead = `// The settings of a gateway and of its upstreams, as a file or a program states them. Generated from the schemas beside
// this file: change those, then run \`npm run config\`.
`;

/** Returns the source of the interfaces of all settings. */
export function toTypes({ $defs = {} }: Schema): string {
  const definitions = Object.entries($defs).filter(([name]) => !withoutType.has(name));
  return [typesHead, ...definitions.map(([name, schema]) => toInterface(name, schema, $defs))].join("\n");
}

function toInterface(name: string, schema: Schema, definitions: Readonly<Record<string, Schema>>): string {
  const { description = "", required = [] } = schema;
  const lines = membersOf(name, schema).flatMap(([member, inner]) => [
    // A schema leaves out a description that is that of its definition.
    ...toComment(withDefault({ ...definitions[nameOf(inner.$ref ?? "")], ...inner }), "  "),
    `  ${member}${required.includes(member) ? "" : "?"}: ${typeOf(inner)};`,
  ]);
  return [...toComment(description, ""), `export interface ${titleOf(name)} {`, ...lines, "}", ""].join("\n");
}

/** Returns the source of the names of all settings, for the check of options that a program gives. */
export function toKnown({ $defs = {} }: Schema): string {
  const needed = new Set<string>();
  const add = (name: string): void => {
    for (const [, member] of membersOf(name, $defs[name] ?? {})) if (partOf(member)) add(nameOf(partOf(member) ?? ""));
    needed.add(name);
  };
  for (const name of ["GatewayBlock", "UpstreamPolicy"]) add(name);
  const names = [...needed].map(titleOf).toSorted();
  const imports = `import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./settings.ts";\n`;
  const head = `${knownHead}import type { KnownOptions } from "@lethe/protocol";\n${imports}`;
  return [head, ...[...needed].map((name) => toKnownConst(name, $defs[name] ?? {}))].join("\n");
}

/** The definition of a member that is an object or an array of objects. */
function partOf({ $ref, items }: Schema): string | undefined {
  return $ref ?? items?.$ref;
}

const knownHead = `// The settings of a gateway and of its upstreams by name, for a configuration that a program builds. Generated like settings.ts:
// run \`npm run config\`.
`;

/** Exported for the configuration, and for adaptServer. */
const isExported = new Set(["GatewaySettings", "UpstreamPolicy", "SessionSettings"]);

function toKnownConst(name: string, schema: Schema): string {
  const title = titleOf(name);
  const lines = membersOf(name, schema).map(([member, inner]) => {
    const isRequired = schema.required?.includes(member) === true;
    return `  ${member}: ${ruleOf(inner, isRequired)},`;
  });
  const declaration = `const known${title}: KnownOptions<${title}> = {`;
  return [`${isExported.has(title) ? "export " : ""}${declaration}`, ...lines, "};", ""].join("\n");
}

function ruleOf(schema: Schema, isRequired: boolean): string {
  const reference = partOf(schema);
  if (reference !== undefined) return `known${nameOf(reference)}`;
  if (!isRequired) return "true";
  return choicesOf(schema) ? '"a value"' : '"a string"';
}

/** A program states the settings of its upstreams with each of them. */
function membersOf(name: string, { properties = {} }: Schema): [name: string, schema: Schema][] {
  return Object.entries(properties).filter(([member]) => !(name === "GatewayBlock" && member === "upstreams"));
}

function titleOf(name: string): string {
  return name === "GatewayBlock" ? "GatewaySettings" : name;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.type === "array") {
    const item = typeOf(schema.items ?? {});
    return `readonly ${item.includes(" | ") ? `(${item})` : item}[]`;
  }
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  }
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  if (schema.type === "integer") return "number";
  if (schema.type === undefined && schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return schema.type;
}

const columns = 128;

/** A doc comment, of one line if it fits. */
function toComment(text: string, indent: string): string[] {
  const single = `${indent}/** ${text} */`;
  if (single.length <= columns) return [single];
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1] ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (longer.length + indent.length + 3 <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function withDefault(schema: Schema): string {
  const { description = "" } = schema;
  return schema.default === undefined ? description : `${description} Default ${toPlain(schema.default)}.`;
}

function toPlain(value: unknown): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : JSON.stringify(value);
}

function choicesOf(schema: Schema): readonly string[] | undefined {
  return schema.enum ?? schema.anyOf?.find((option) => option.enum !== undefined)?.enum;
}

function nameOf(reference: string): string {
  return reference.replace("#/$defs/", "");
}

const referenceHead = `# Configuration reference

Every key of a configuration file, generated from the schema by which \`lethe gateway\` checks files (\`lethe gateway schema\` prints it).
[Gateway settings](gateway/settings.md) shows a whole file, and [server files](gateway/files.md) the files of other products. Any text may contain
variables such as \`\${NAME}\`. Every key may be left out, unless it is marked as required.
`;

/** Returns the page that describes every key of a configuration file. */
export function toReference(schema: Schema): string {
  const { $defs = {} } = schema;
  const sections: string[] = [];
  const add = (title: string, given: Schema): void => {
    const part = { ...$defs[nameOf(given.$ref ?? "")], ...given };
    const members = Object.entries(part.properties ?? {});
    if (members.length === 0) return;
    const rows = members.map(([member, inner]) => {
      const merged = { ...$defs[nameOf(inner.$ref ?? "")], ...inner };
      return toRow(member, merged, part.required?.includes(member) === true);
    });
    const table = ["| key | type | default | description | example |", "| --- | --- | --- | --- | --- |", ...rows];
    sections.push([`## ${title}`, part.description, `${table.join("\n")}\n`].filter(Boolean).join("\n\n"));
    for (const [member, inner] of members) {
      const path = title === "The file" ? member : `${title.replaceAll("`", "")}.${member}`;
      const nested =
        inner.items ?? (typeof inner.additionalProperties === "object" ? inner.additionalProperties : inner);
      // Servers have sections of their own, and `mcp` repeats members of the file.
      if (!nested.anyOf && path !== "mcp") add(`\`${path}${suffixOf(inner)}\``, nested);
    }
  };
  add("The file", { ...schema, description: "JSON with comments and trailing commas." });
  for (const [name, title] of entryTitles) add(title, $defs[name] ?? {});
  return [referenceHead, ...sections, ""].join("\n").replace(/\n+$/, "\n");
}

const entryTitles = [
  ["LocalServer", "A local server, `mcpServers.NAME`"],
  ["RemoteServer", "A remote server, `mcpServers.NAME`"],
  ["ApiServer", "An HTTP API, `mcpServers.NAME`"],
] as const;

function suffixOf({ type, additionalProperties }: Schema): string {
  if (type === "array") return "[]";
  return typeof additionalProperties === "object" ? ".NAME" : "";
}

function toRow(key: string, schema: Schema, isRequired: boolean): string {
  const fallback = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
  const [example = schema.default] = schema.examples ?? [];
  const cells = [
    `\`${key}\``,
    toTypeText(schema) + unitOf(key),
    isRequired ? "required" : fallback,
    schema.description ?? "",
    example === undefined ? "see below" : `\`${JSON.stringify(example)}\``,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function toTypeText(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => `\`"${choice}"\``).join(" or ");
  if (schema.type === "array") return schema.items?.type === "string" ? "array of strings" : "array of objects";
  if (schema.type === "integer") {
    return schema.maximum === undefined
      ? `integer from ${schema.minimum}`
      : `integer, ${schema.minimum} to ${schema.maximum}`;
  }
  if (schema.type === undefined && schema.anyOf?.every(({ type }) => type !== undefined)) {
    return schema.anyOf.map(toTypeText).join(", or ");
  }
  return schema.format === "uri" || schema.anyOf?.some(({ format }) => format === "uri")
    ? "URL"
    : (schema.type ?? "value");
}

function unitOf(key: string): string {
  if (key.endsWith("Ms")) return ", in ms";
  if (key.endsWith("Bytes")) return ", in bytes";
  return key === "requestsPerMinute" ? ", per minute" : "";
}
