// resources/templates/list (E-78): one page at a time, in order of registration.
import { parsePageParams } from "@lethe/protocol";
import type { Method } from "./method.ts";

export const listResourceTemplates: Method = {
  answer(parts, request, exchange) {
    return parts.registry.resourceTemplates.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};
