// Names that other libraries give to options, for the hint of an error.

const input = ["inputSchema", "argsSchema"];
const output = ["outputSchema"];
const handler = ["handler"];
const host = ["host"];

/** For each name, the options that may be meant. */
export const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ["input", input],
  ["inputs", input],
  ["inputSchema", input],
  ["parameters", input],
  ["params", input],
  ["paramsSchema", input],
  ["args", [...input, "arguments"]],
  ["argsSchema", input],
  ["arguments", [...input, "args"]],
  ["schema", input],
  ["output", output],
  ["outputs", output],
  ["returns", output],
  ["result", output],
  ["resultSchema", output],
  ["execute", handler],
  ["run", handler],
  ["cb", handler],
  ["callback", handler],
  ["fn", handler],
  ["func", handler],
  ["function", handler],
  ["call", handler],
  ["load", handler],
  ["read", handler],
  ["get", handler],
  ["invoke", handler],
  ["hostname", host],
  ["address", host],
  ["endpoint", ["path", "url"]],
  ["uri", ["url"]],
  ["authenticate", ["auth"]],
  ["authenticator", ["auth"]],
  ["authorization", ["auth", "authorizer"]],
  ["authProvider", ["authorizer"]],
  ["requestInit", ["headers"]],
  ["elicitation", ["elicit"]],
  ["onElicitation", ["elicit"]],
  ["sampling", ["sample"]],
  ["onSampling", ["sample"]],
  ["timeout", ["timeoutMs", "requestTimeoutMs"]],
  ["secret", ["keys"]],
  ["contentType", ["mimeType"]],
]);
