// server/discover (E.1): served whatever the server offers.
import type { Method } from "./method.ts";

export const discover: Method = {
  answer: (parts) => parts.advertised().discover,
};
