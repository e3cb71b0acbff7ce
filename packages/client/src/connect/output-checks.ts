// Validates tool results against the output schemas that the server lists (E-69).
import {
  type CallToolResult,
  type CreateValidator,
  checkSchemaBounds,
  type SchemaIssue,
  type SchemaValidator,
  type Tool,
} from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

export interface OutputChecksOptions {
  readonly createValidator: CreateValidator;
  readonly serverName: string;
  /** The server's tools. `isFresh` bypasses the cache. */
  readTools(isFresh: boolean): AsyncIterable<Tool>;
  /** Receives the reason if a result could not be validated. */
  onWarning(message: string): void;
  /** Limit of cached schemas. The least recently called tool is dropped first. Default 1000. */
  maxTools?: number;
}

export interface OutputChecks {
  /** Returns the result itself. Rejects with TransportError "invalid" if it violates the schema. */
  check(tool: string, result: CallToolResult): Promise<CallToolResult>;
  /** Forgets the schemas after the server's tools changed. */
  forget(): void;
}

export function createOutputChecks(options: OutputChecksOptions): OutputChecks {
  const { createValidator, serverName, readTools, onWarning, maxTools = 1000 } = options;
  const validators = new Map<string, Promise<SchemaValidator | undefined>>();

  function validatorOf(tool: string): Promise<SchemaValidator | undefined> {
    const validator = validators.get(tool) ?? readValidator(tool, false);
    validators.delete(tool);
    validators.set(tool, validator);
    if (validators.size > maxTools) validators.delete(validators.keys().next().value as string);
    return validator;
  }

  /** Undefined for a tool without a schema, or if the schema cannot be read: a result that arrived is not discarded. */
  async function readValidator(name: string, isFresh: boolean): Promise<SchemaValidator | undefined> {
    try {
      for await (const tool of readTools(isFresh)) {
        if (tool.name !== name) continue;
        const { outputSchema } = tool;
        if (outputSchema === undefined) return undefined;
        checkSchemaBounds(outputSchema);
        return createValidator(outputSchema);
      }
    } catch (error) {
      onWarning(`what ${name} of ${serverName} answers cannot be checked: ${(error as Error).message}`);
    }
    return undefined;
  }

  async function check(tool: string, result: CallToolResult): Promise<CallToolResult> {
    if (result.isError) return result;
    let [issue] = issuesOf(await validatorOf(tool), result);
    if (issue === undefined) return result;
    // The server may have changed the schema without a notification.
    const validator = readValidator(tool, true);
    validators.set(tool, validator);
    [issue] = issuesOf(await validator, result);
    if (issue === undefined) return result;
    const place = `structuredContent${issue.path}`;
    throw new TransportError("invalid", `tools/call to ${serverName}: ${place} of ${tool}: ${issue.message}`);
  }

  return { check, forget: () => validators.clear() };
}

function issuesOf(validator: SchemaValidator | undefined, result: CallToolResult): readonly SchemaIssue[] {
  if (validator === undefined) return [];
  if (!("structuredContent" in result))
    return [{ path: "", message: "expected a value of its output schema, got nothing" }];
  return validator.validate(result.structuredContent);
}
