// Answers what a server asks in the middle of a call. What has a handler is offered to servers, and nothing else.
import type { ConnectTarget, Handlers } from "@lethe/client";
import { isInputRequired, type JsonObject } from "@lethe/client";
import { connect } from "@lethe/client/node";

const handlers: Handlers = {
  /** A form for the user; defaults are filled in, and the answer is checked before it is sent. */
  async elicit({ message, requestedSchema }, { server, target }) {
    console.log(`${server} asks for ${target}: ${message}`, requestedSchema.properties);
    return { action: "accept", content: { resolution: "Fixed" } };
  },
  /** Show the whole address, and open it only when the user agrees. */
  elicitUrl: () => ({ action: "decline" }),
  sample: async ({ messages }) => ({
    role: "assistant",
    model: "a-model",
    content: { type: "text", text: `an answer to ${messages.length} messages` },
  }),
  roots: [{ uri: "file:///home/me/project", name: "project" }],
};

/** However many rounds it takes. */
export async function resolveBug(target: ConnectTarget, id: number): Promise<unknown> {
  await using client = await connect(target, handlers);
  const { structuredContent } = await client.callTool("resolve_bug", { id });
  return structuredContent;
}

/** One round after the other, by hand: between them everything that counts is in `input`, which can be kept anywhere. */
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
