// Validates forms by their JSON Schema without generating code, which the content policy of the page forbids.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import {
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  type ValidationData,
  type ValidatorType,
} from "@rjsf/utils";

/** These only say that something below them failed. */
const containers = new Set(["properties", "items", "$ref", "allOf", "additionalProperties", "prefixItems"]);

export const formValidator: ValidatorType = {
  validateFormData(formData, schema, _customValidate, transformErrors, uiSchema): ValidationData<unknown> {
    const found = errorsOf(schema, formData);
    const errors = transformErrors ? transformErrors(found, uiSchema) : found;
    return { errors, errorSchema: toErrorSchema(errors) };
  },
  isValid(schema, formData, rootSchema) {
    const { $defs, definitions } = rootSchema as Schema;
    return (
      check({ ...($defs && { $defs }), ...(definitions && { definitions }), ...(schema as Schema) }, formData)
        .length === 0
    );
  },
  rawValidation: (schema, formData) => ({ errors: check(schema as Schema, formData) as never[] }),
};

/** Returns the errors of a value, for forms and for JSON that a user typed. */
export function errorsOf(schema: RJSFSchema, value: unknown): RJSFValidationError[] {
  return check(schema as Schema, value)
    .filter(({ keyword }) => !containers.has(keyword))
    .map(toFormError);
}

function check(schema: Schema, value: unknown): OutputUnit[] {
  try {
    // An absent value is no JSON value.
    return new Validator(schema, "2020-12", false).validate(value === undefined ? {} : value).errors;
  } catch (error) {
    return [{ keyword: "schema", keywordLocation: "#", instanceLocation: "#", error: (error as Error).message }];
  }
}

function toFormError({ keyword, instanceLocation, error }: OutputUnit): RJSFValidationError {
  const missing = keyword === "required" ? /"(.+)"/.exec(error)?.[1] : undefined;
  const path = [...instanceLocation.split("/").slice(1).map(unescaped), ...(missing === undefined ? [] : [missing])];
  const message = missing === undefined ? error : "is required";
  const property = path.map((step) => `.${step}`).join("");
  return { name: keyword, message, property, stack: `${path.join(".") || "value"}: ${message}` };
}

function unescaped(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}
