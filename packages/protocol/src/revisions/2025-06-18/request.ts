// Unchanged from 2025-11-25: request params.
export { fromClientParams, toServerParams } from "../2025-11-25/request.ts";
