// Unchanged from 2025-06-18: request params.
export { fromClientParams, toServerParams } from "../2025-06-18/request.ts";
