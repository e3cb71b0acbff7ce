// tools/list (E.9): one page at a time, in order of registration.
import { parsePageParams } from "@lethe/protocol";
import type { Method } from "./method.ts";

export const listTools: Method = {
  answer(parts, request, exchange) {
    return parts.registry.tools.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};
