// Unchanged from 2025-06-18: errors.
export { fromServerError, toClientError, urlInputRequestsOf } from "../2025-06-18/error.ts";
