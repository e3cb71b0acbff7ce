// prompts/list (E-82): one page at a time, in order of registration.
import { parsePageParams } from "@lethe/protocol";
import type { Method } from "./method.ts";

export const listPrompts: Method = {
  answer(parts, request, exchange) {
    return parts.registry.prompts.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};
