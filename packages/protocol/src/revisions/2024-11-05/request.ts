// Unchanged from 2025-03-26: request params.
export { fromClientParams, toServerParams } from "../2025-03-26/request.ts";
