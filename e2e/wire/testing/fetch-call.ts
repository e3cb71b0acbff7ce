// Stands for the module of this name in tests: what it writes in answer to a Request is held against the schema.
import { FetchCall } from "../../../packages/server/src/http/fetch-call.ts";
import { watchHttpCall } from "./watch-http-call.ts";

watchHttpCall(FetchCall.prototype, ["write"]);

export * from "../../../packages/server/src/http/fetch-call.ts";
