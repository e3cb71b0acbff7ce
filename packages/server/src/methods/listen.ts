// subscriptions/listen (E.2): the hub answers when the subscription ends.
import type { Method } from "./method.ts";

export const listen: Method = {
  answer: (parts, request, exchange) => parts.hub.listen(request, exchange),
};
