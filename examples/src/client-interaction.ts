// Answers the input requests of a server during a call. The client declares only capabilities that have a handler.
import type { ConnectTarget, Handlers } from "@lethe/client";
import { isInputRequired, type JsonObject } from "@lethe/client";
import { connect } from "@lethe/client/node";

const handlers: Handlers = {
  /** A form for the user. The client fills in defaults, and validates the response before it sends it. */
  async elicit({ message, requestedSchema }, { server, target }) {
    console.log(`${server} asks for ${target}: ${message}`, requestedSchema.properties);
    return { action: "accept", content: { resolution: "Fixed" } };
  },
  /** Show the whole URL, and open it only if the user agrees. */
  elicitUrl: () => ({ action: "decline" }),
  sample: async ({ messages }) => ({
    role: "assistant",
    model: "a-model",
    content: { type: "text", text: `an answer to ${messages.length} messages` },
  }),
  roots: [{ uri: "file:///home/me/project", name: "project" }],
};

/** Runs all rounds of the call. */
export async function resolveBug(target: ConnectTarget, id: number): Promise<unknown> {
  await using client = await connect(target, handlers);
  const { structuredContent } = await client.callTool("resolve_bug", { id });
  return structuredContent;
}

/** Runs the rounds by hand. Between rounds, `input` contains the whole state of the call and can be stored anywhere. */
export async function resolveByHand(target: ConnectTarget, id: number, answers: JsonObject[]): Promise<unknown> {
  await using client = await connect(target, { capabilities: { elicitation: { form: {} } } });
  let result = await client.callTool("resolve_bug", { id }, { manual: true });
  while (isInputRequired(result)) {
    const { inputRequests = {}, requestState } = result;
    const given = Object.keys(inputRequests).map((key) => [key, { action: "accept", content: answers.shift() }]);
    const input = { inputResponses: Object.fromEntries(given), ...(requestState !== undefined && { requestState }) };
    result = await client.callTool("resolve_bug", { id }, { manual: true, input });
  }
  return result.structuredContent;
}
