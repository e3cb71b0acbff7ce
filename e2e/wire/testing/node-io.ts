// Replaces the module of this name in tests: validates its responses with the schema.
import { NodeIo } from "../../../packages/server/src/node/node-io.ts";
import { watchOutput } from "./watch-http-io.ts";

watchOutput(NodeIo.prototype, ["write", "closeStream"]);

export * from "../../../packages/server/src/node/node-io.ts";
