// Reads one operation: its arguments, its body, its result and the credentials that it needs.
import type { JsonObject } from "@lethe/protocol";
import type { Credentials } from "../auth/credentials.ts";
import type { SchemaBundler } from "../schema/schema-bundler.ts";
import type { Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import type { FoundOperation, Operation, Parameter } from "./operation.ts";
import { readOutput } from "./read-output.ts";
import { type ReadParameter, readParameters } from "./read-parameters.ts";
import { type ReadRequestBody, readRequestBody } from "./read-request-body.ts";

export interface OperationContext {
  readonly spec: Spec;
  readonly input: SchemaBundler;
  readonly output: SchemaBundler;
  readonly credentials: Credentials;
  readonly hasOutputSchemas: boolean;
  /** The base URL of an operation, from the options or the spec. Throws SpecProblem. */
  readonly baseUrlOf: (found: FoundOperation) => string;
}

/** Throws SpecProblem for an operation that cannot be served. */
export function readOperation(found: FoundOperation, context: OperationContext): Operation {
  const { spec, credentials } = context;
  const { name, method, path, operation } = found;
  if (method === "trace") throw new SpecProblem("the method TRACE is not supported");
  requirePath(path);
  const baseUrl = context.baseUrlOf(found);
  const schemes = credentials.select(operation.security ?? spec.root.security);
  const own = credentials.placesOf(schemes);
  // The operator's credentials are not arguments.
  const read = readParameters(spec, found).filter((parameter) => !own.has(`${parameter.in} ${placeName(parameter)}`));
  const hasBody = method !== "get" && method !== "head";
  const body = hasBody ? readRequestBody(spec, operation.requestBody) : undefined;
  const parameters = withArguments(read, body !== undefined);
  return {
    ...{ name, method, path, baseUrl, schemes, body },
    parameters: parameters.map(({ argument, name, in: place, style, explode, allowReserved }) => {
      return { argument, name, in: place, style, explode, allowReserved };
    }),
    inputSchema: createInputSchema(context.input, parameters, body),
    outputSchema:
      context.hasOutputSchemas && method !== "head" ? readOutput(spec, context.output, operation) : undefined,
  };
}

function requirePath(path: string): void {
  if (!path.startsWith("/")) throw new SpecProblem("its path must start with /");
  if (/[?#\\]/.test(path)) throw new SpecProblem("its path must not contain ?, # or a backslash");
}

function placeName({ name, in: place }: ReadParameter): string {
  return place === "header" ? name.toLowerCase() : name;
}

type NamedParameter = ReadParameter & Pick<Parameter, "argument">;

/** Clients and models accept only some characters in the names of arguments. Equal names of different places get the place. */
function withArguments(parameters: readonly ReadParameter[], hasBody: boolean): NamedParameter[] {
  const used = new Set<string>(hasBody ? ["body"] : []);
  return parameters.map((parameter) => {
    const legal = parameter.name.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 60);
    const plain = legal in Object.prototype ? `${legal}_` : legal;
    let argument = used.has(plain) ? `${parameter.in}_${plain}` : plain;
    if (used.has(argument)) argument = `${argument}_${used.size}`;
    if (used.has(argument)) throw new SpecProblem("names of its parameters cannot be told apart");
    used.add(argument);
    return { ...parameter, argument };
  });
}

function createInputSchema(
  bundler: SchemaBundler,
  parameters: readonly NamedParameter[],
  body: ReadRequestBody | undefined,
): JsonObject {
  const fields = [
    ...parameters.map(({ argument, schema, description, isRequired }) => ({
      argument,
      schema,
      description,
      isRequired,
    })),
    ...(body ? [{ ...body, argument: "body" }] : []),
  ];
  const required = fields.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  return bundler.bundle((translate) => {
    const properties = fields.map(({ argument, schema, description }) => {
      const translated = translate(schema);
      const object = translated === true ? {} : translated;
      const isDescribed = typeof object === "boolean" || description === undefined || "description" in object;
      return [argument, isDescribed ? object : { ...object, description }];
    });
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  });
}
