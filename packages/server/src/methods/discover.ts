// server/discover (E.1): always served.
import type { Method } from "./method.ts";

export const discover: Method = {
  answer: (parts) => parts.advertised().discover,
};
