// Unchanged from 2025-06-18: sampling and roots requests.
export { fromClientInputResponse, fromServerInputRequest, toClientInputRequest } from "../2025-06-18/input-request.ts";
