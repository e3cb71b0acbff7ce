// subscriptions/listen (E.2): the hub answers when the subscription ends.
import type { Method } from "./method.ts";

export const listen: Method = {
  isServed: ({ tools, prompts, resources, extensions }) =>
    tools?.listChanged === true ||
    prompts?.listChanged === true ||
    resources?.listChanged === true ||
    resources?.subscribe === true ||
    extensions?.["io.modelcontextprotocol/tasks"] !== undefined,
  answer: (parts, request, exchange) => parts.hub.listen(request, exchange),
};
