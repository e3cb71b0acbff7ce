// Builds small recordings for tests.
import type { HttpExchange, Recording } from "../record/recording.ts";

export function exchange(
  number: number,
  parts: Partial<HttpExchange["request"]>,
  answer: Partial<NonNullable<HttpExchange["response"]>> = {},
): HttpExchange {
  return {
    number,
    connection: 1,
    startedAt: number * 10,
    endedAt: number * 10 + 5,
    request: {
      verb: "POST",
      target: "/mcp",
      headers: [["Content-Type", "application/json"]],
      body: "",
      headBytes: 100,
      bodyBytes: 20,
      ...parts,
    },
    response: {
      status: 200,
      headers: [["Content-Type", "application/json"]],
      at: number * 10 + 4,
      body: "",
      headBytes: 80,
      bodyBytes: 10,
      ...answer,
    },
  };
}

export function recording(members: Partial<Recording>): Recording {
  return {
    version: 1,
    id: "modern-http",
    title: "Streamable HTTP",
    transport: "http",
    endpoint: "http://127.0.0.1:3000/mcp",
    startedAt: 1_000,
    endedAt: 100,
    exchanges: [],
    lines: [],
    steps: [],
    remarks: [],
    ...members,
  };
}
