// Results of 2025-06-18: those of 2025-11-25 without task support in tool lists.
export { fromServerResult, toResultWithoutTasks as toClientResult } from "../2025-11-25/result.ts";
