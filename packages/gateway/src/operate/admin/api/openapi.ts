// The OpenAPI document of the administration API, made of the table of operations.
import type { JsonObject } from "@lethe/protocol";
import { gatewayInfo } from "../../../upstreams/connection/own-request.ts";
import { eventData } from "./events.ts";
import { problem } from "./fleet.ts";
import {
  allComponents,
  exchangeQuery,
  type Operation,
  operations,
  type QueryParameter,
  type Status,
} from "./operations.ts";

/** Where the API begins. A change that breaks clients gets another version. */
export const adminPath = "/admin/v1";

export function createOpenApiDocument(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [operationId, operation] of Object.entries<Operation<unknown>>(operations)) {
    const item = toItem(operationId, operation);
    paths[operation.path] = { ...paths[operation.path], [operation.verb.toLowerCase()]: item };
  }
  paths["/events"] = { get: eventsItem };
  return {
    openapi: "3.1.0",
    info: {
      title: "Lethe gateway administration",
      version: gatewayInfo.version,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      description:
        "What operators and the console read. Without `gateway.admin.key`, the gateway answers requests of its own machine only. " +
        "With it, every request needs the key. Known secrets are masked.",
    },
    servers: [{ url: adminPath }],
    security: [{ adminKey: [] }, {}],
    paths,
    components: {
      securitySchemes: { adminKey: { type: "http", scheme: "bearer", description: "`gateway.admin.key`" } },
      schemas: { ...Object.fromEntries(allComponents), ...Object.fromEntries(problem.components) },
    },
  };
}

const meanings: Readonly<Record<401 | 403 | Status, string>> = {
  401: "The key is missing or wrong",
  403: "Not from here: requests of other machines need the key, and pages of other origins are refused",
  404: "There is no such item, or no longer",
  409: "It was answered, cancelled or has ended meanwhile",
  422: "It was refused: the body says why",
  503: "Another replica does not answer, or too many streams are open",
};

function toItem(operationId: string, operation: Operation<unknown>): JsonObject {
  const { path, summary, query = [], body, answer, statuses = [] } = operation;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => toPathParameter(name)),
    ...query.map(toParameter),
  ];
  return {
    operationId,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonOf(body.schema) } }),
    responses: {
      200: { description: "OK", content: jsonOf(answer.schema) },
      ...toRefusals(statuses),
      // A reload that was refused says why in its own form.
      ...(operationId === "reload" && { 422: { description: meanings[422], content: jsonOf(answer.schema) } }),
    },
  };
}

function toPathParameter(name: string | undefined): JsonObject {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function toParameter({ name, type, description }: QueryParameter): JsonObject {
  return { name, in: "query", description, schema: { type } };
}

function toRefusals(statuses: readonly Status[]): JsonObject {
  const all = [401, 403, ...statuses] as const;
  return Object.fromEntries(
    all.map((status) => [status, { description: meanings[status], content: jsonOf(problem.schema) }]),
  );
}

function jsonOf(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  description: "The id of the last event that the client received: the stream continues after it",
  schema: { type: "string" },
};

const eventsLimit: QueryParameter = {
  name: "limit",
  type: "integer",
  description: "Earlier exchanges that are considered first. Default: all that are kept",
};

const eventsItem: JsonObject = {
  operationId: "events",
  summary: "An event stream of exchanges, changes of the state, steps of the series, and log entries",
  parameters: [...[eventsLimit, ...exchangeQuery].map(toParameter), lastEventId],
  responses: { 200: { description: "OK", content: eventStream() }, ...toRefusals([503]) },
};

/** Describes one event. OpenAPI 3.1 has no form for a stream of them. */
function eventStream(): JsonObject {
  const kinds = Object.entries(eventData).map(([event, { schema }]) => ({
    type: "object",
    properties: { event: { const: event }, id: { type: "string" }, data: schema },
    required: ["event", "data"],
  }));
  return { "text/event-stream": { schema: { description: "One event; its data is JSON", anyOf: kinds } } };
}
