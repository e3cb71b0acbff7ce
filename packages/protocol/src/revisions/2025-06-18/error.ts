// Unchanged from 2025-11-25: errors.
export { fromServerError, toClientError, urlInputRequestsOf } from "../2025-11-25/error.ts";
