// tools/list, prompts/list, resources/list and resources/templates/list (E-78, E-82): one page at a time, in order of registration.
import { parsePageParams } from "@lethe/protocol";
import type { Method } from "./method.ts";

export const listTools: Method = {
  answer({ registry }, request, exchange) {
    return registry.tools.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};

export const listPrompts: Method = {
  answer({ registry }, request, exchange) {
    return registry.prompts.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};

export const listResources: Method = {
  answer({ registry }, request, exchange) {
    return registry.resources.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};

export const listResourceTemplates: Method = {
  answer({ registry }, request, exchange) {
    return registry.resourceTemplates.page(parsePageParams(request.params).cursor, exchange.caller);
  },
};
