// The steps of a survey besides tool calls: resources, prompts, completion and resource subscriptions.
import type { CallOptions, Client, Subscription } from "@lethe/client";
import type { CompleteParams } from "@lethe/protocol";
import type { RunScriptOptions } from "./run-script.ts";
import type { ServerLists, StepContext } from "./survey.ts";

/** Resources read, and prompts requested, at most. */
const maxTried = 3;

export async function tryResources(
  client: Client,
  { resources }: ServerLists,
  { log, options }: StepContext,
): Promise<void> {
  if (!client.server.capabilities.resources) {
    return log.skip("resources", "the server declares no resources capability, so none was read");
  }
  if (resources.length === 0) return log.skip("resources", "the server lists no resources");
  await log.attempt({ name: "read resources", feature: "resources" }, async () => {
    const tried = resources.slice(0, maxTried);
    for (const { uri } of tried) await client.readResource(uri, toLimits(options));
    return `read ${tried.map(({ uri }) => uri).join(", ")}`;
  });
}

export async function tryPrompts(
  client: Client,
  { prompts }: ServerLists,
  { log, options }: StepContext,
): Promise<void> {
  if (!client.server.capabilities.prompts) {
    return log.skip("prompts", "the server declares no prompts capability, so none was requested");
  }
  if (prompts.length === 0) return log.skip("prompts", "the server lists no prompts");
  await log.attempt({ name: "get prompts", feature: "prompts" }, async () => {
    const tried = prompts.slice(0, maxTried);
    for (const { name, arguments: args = [] } of tried) {
      const required = args.filter((argument) => argument.required === true);
      const values = Object.fromEntries(required.map((argument) => [argument.name, "demo"]));
      await client.getPrompt(name, values, toLimits(options));
    }
    return `got ${tried.map(({ name }) => name).join(", ")}`;
  });
}

export async function tryCompletion(client: Client, offers: ServerLists, { log, options }: StepContext): Promise<void> {
  if (!client.server.capabilities.completions) {
    return log.skip("completion", "the server declares no completions capability, so none was requested");
  }
  const params = toCompletion(offers);
  if (!params) return log.skip("completion", "the server lists no prompt or template with an argument to complete");
  await log.attempt({ name: "complete an argument", feature: "completion" }, async () => {
    const { completion } = await client.complete(params, toLimits(options));
    return `${completion.values.length} values for ${params.argument.name}`;
  });
}

/** Returns a completion request for the first argument of a prompt or template. */
function toCompletion({ prompts, templates }: ServerLists): CompleteParams | undefined {
  const prompt = prompts.find(({ arguments: args = [] }) => args.length > 0);
  const argument = prompt?.arguments?.[0];
  if (prompt && argument) {
    return { ref: { type: "ref/prompt", name: prompt.name }, argument: { name: argument.name, value: "" } };
  }
  for (const { uriTemplate } of templates) {
    const name = /\{[+#./;?&]?(\w+)/.exec(uriTemplate)?.[1];
    if (name !== undefined) return { ref: { type: "ref/resource", uri: uriTemplate }, argument: { name, value: "" } };
  }
  return undefined;
}

/** The subscription stays open during the tool calls, so that it receives their updates. */
export async function trySubscriptions(
  client: Client,
  { resources }: ServerLists,
  { log }: StepContext,
): Promise<Subscription | undefined> {
  const [first] = resources;
  if (client.server.capabilities.resources?.subscribe !== true) {
    log.skip("subscriptions", "the server declares no resources.subscribe capability, so none was requested");
    return undefined;
  }
  if (!first) {
    log.skip("subscriptions", "the server lists no resource to subscribe to");
    return undefined;
  }
  let subscription: Subscription | undefined;
  await log.attempt({ name: "subscribe to a resource", feature: "subscriptions" }, async () => {
    subscription = await client.subscribe({ resourceSubscriptions: [first.uri] }, () => {});
    if (!subscription.honoured.resourceSubscriptions?.includes(first.uri)) {
      throw new Error(`the server did not grant the subscription to ${first.uri}`);
    }
    return `subscribed to ${first.uri}`;
  });
  return subscription;
}

function toLimits({ timeoutMs = 10_000, signal }: RunScriptOptions): CallOptions {
  return { timeoutMs, ...(signal && { signal }) };
}
