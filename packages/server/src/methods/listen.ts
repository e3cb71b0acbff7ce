// subscriptions/listen (E.2): the hub answers when the subscription ends.
import { declaresTasks } from "@lethe/protocol";
import type { Method } from "./method.ts";

export const listen: Method = {
  isServed(capabilities) {
    const { tools, prompts, resources } = capabilities;
    return (
      tools?.listChanged === true ||
      prompts?.listChanged === true ||
      resources?.listChanged === true ||
      resources?.subscribe === true ||
      declaresTasks(capabilities)
    );
  },
  answer: (parts, request, exchange) => parts.hub.listen(request, exchange),
};
