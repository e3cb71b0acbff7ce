// The reference of the admin API, from its OpenAPI document.
import { toTable } from "./table.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

interface Body {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface OpenApi {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function adminReference(text: string): string {
  const { info, paths, components } = JSON.parse(text) as OpenApi;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describeOperation(method, path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => describeSchema(name, schema));
  return `# Admin API operations

${info.description} Paths are below \`/admin/v1\`. Generated from the OpenAPI document, which the gateway serves at \`/admin/v1/openapi.json\`.
[The admin API](/admin-api) explains access, masking and events.

${operations.join("\n")}
## Schemas

${schemas.join("\n")}`;
}

function describeOperation(method: string, path: string, operation: Operation): string {
  const { summary = "", parameters = [], requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, required, description = "", schema = {} }) => [
    `\`${name}\``,
    required === true ? `${place}, required` : place,
    typeOf(schema),
    description,
  ]);
  const body = schemaOf(requestBody);
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    response.description ?? "",
    typeOf(schemaOf(response) ?? {}),
  ]);
  return [
    `## ${method.toUpperCase()} ${path}\n\n${summary}.\n`,
    ...(rows.length > 0 ? [`${toTable(["parameter", "in", "type", "meaning"], rows)}\n`] : []),
    ...(body === undefined ? [] : [`Body: ${typeOf(body)}\n`]),
    `${toTable(["status", "meaning", "body"], answers)}\n`,
  ].join("\n");
}

function schemaOf(body: Body | undefined): Schema | undefined {
  return Object.values(body?.content ?? {})[0]?.schema;
}

function describeSchema(name: string, schema: Schema): string {
  const text = schema.description === undefined ? "" : `${schema.description}.\n\n`;
  const { properties } = schema;
  if (properties === undefined) return `### ${name}\n\n${text}${typeOf(schema)}\n`;
  const rows = Object.entries(properties).map(([key, member]) => [
    `\`${key}\`${schema.required?.includes(key) === true ? "" : ", optional"}`,
    typeOf(member),
    member.description ?? "",
  ]);
  return `### ${name}\n\n${text}${toTable(["member", "type", "meaning"], rows)}\n`;
}

function typeOf(schema: Schema): string {
  const { $ref, items, properties, additionalProperties, type } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (choices !== undefined) return choices.map(typeOf).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined)
    return `object with ${Object.keys(properties)
      .map((key) => `\`${key}\``)
      .join(", ")}`;
  if (typeof additionalProperties === "object") return `map of ${typeOf(additionalProperties)}`;
  return typeof type === "object" ? type.join(" or ") : (type ?? "any");
}
