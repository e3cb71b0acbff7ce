// Unchanged from 2025-03-26: errors.
export { fromServerError, toClientError, urlInputRequestsOf } from "../2025-03-26/error.ts";
