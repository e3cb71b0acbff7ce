// Reads the parameters of an operation.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { resolveObject, type Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";
import type { FoundOperation, Parameter, Serialization, Style } from "./operation.ts";

export interface ReadParameter extends Omit<Parameter, "argument"> {
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
}

const maxParameters = 200;

const stylesOf: Readonly<Record<Parameter["in"], readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

/**
 * Headers that belong to the connection, to credentials or to the body. OpenAPI ignores parameters of the names `accept`, `content-type` and
 * `authorization` as well.
 */
const reservedHeaders =
  /^(?:accept|authorization|content-.*|cookie2?|set-cookie2?|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|via|date|forwarded|origin|referer|proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|x-http-method(?:-override)?|x-method-override)$/i;

/** Those of the operation replace those of its path. Throws SpecProblem. */
export function readParameters(spec: Spec, { pathItem, operation, path }: FoundOperation): ReadParameter[] {
  const all = [...listOf(pathItem.parameters), ...listOf(operation.parameters)];
  if (all.length > maxParameters) throw new SpecProblem(`it has more than ${maxParameters} parameters`);
  const byPlace = new Map<string, ReadParameter>();
  for (const value of all) {
    const parameter = readParameter(spec, resolveObject(spec, value));
    byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const names = new Set([...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name));
  for (const name of names) {
    if (!byPlace.has(`path ${name}`)) throw new SpecProblem(`its path has no parameter ${JSON.stringify(name)}`);
  }
  return [...byPlace.values()].filter((parameter) => {
    if (parameter.in === "path") return names.has(parameter.name);
    return parameter.in !== "header" || !reservedHeaders.test(parameter.name);
  });
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new SpecProblem("its parameters must be an array");
  return value;
}

function readParameter(spec: Spec, parameter: JsonObject): ReadParameter {
  const { name, in: place, required, description } = parameter;
  if (typeof name !== "string" || name === "") throw new SpecProblem("a parameter has no name");
  const shown = `its parameter ${JSON.stringify(name)}`;
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") {
    throw new SpecProblem(
      `${shown} must be in path, query, header or cookie, got ${JSON.stringify(place) ?? "nothing"}`,
    );
  }
  // The rule for names of headers (RFC 9110) and cookies (RFC 6265).
  if ((place === "header" || place === "cookie") && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new SpecProblem(`${shown} has a name that is not allowed in a ${place}`);
  }
  return {
    ...{ name, in: place },
    isRequired: place === "path" || required === true,
    description: typeof description === "string" ? description : undefined,
    ...readContent(spec, parameter, place, shown),
  };
}

function readContent(spec: Spec, parameter: JsonObject, place: Parameter["in"], shown: string) {
  const { content, schema } = parameter;
  if (!isJsonObject(content)) {
    return { ...readSerialization(parameter, stylesOf[place], shown), schema: schema ?? true };
  }
  const [[mediaType = "", media] = []] = Object.entries(content);
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(mediaType)) {
    throw new SpecProblem(`${shown} has the media type ${JSON.stringify(mediaType)}, and only JSON is supported`);
  }
  const json: Serialization = { style: "json", explode: false, allowReserved: false };
  return { ...json, schema: resolveObject(spec, media).schema ?? true };
}

/** The first style is the default. Throws SpecProblem. */
export function readSerialization(from: JsonObject, styles: readonly Style[], shown: string): Serialization {
  const { style = styles[0], explode, allowReserved } = from;
  const known = styles.find((name) => name === style);
  if (!known) throw new SpecProblem(`${shown} has the style ${JSON.stringify(style)}, not one of ${styles.join(", ")}`);
  return {
    style: known,
    explode: typeof explode === "boolean" ? explode : known === "form",
    allowReserved: allowReserved === true,
  };
}
