// Stands for the module of this name in tests: what it writes over HTTP is held against the schema.
import { NodeCall } from "../../../packages/server/src/node/node-call.ts";
import { watchHttpCall } from "./watch-http-call.ts";

watchHttpCall(NodeCall.prototype, ["write", "closeStream"]);

export * from "../../../packages/server/src/node/node-call.ts";
