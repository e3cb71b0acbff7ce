// Replaces the module of this name in tests: validates its responses with the schema.
import { FetchIo } from "../../../packages/server/src/http/fetch-io.ts";
import { watchOutput } from "./watch-http-io.ts";

watchOutput(FetchIo.prototype, ["write"]);

export * from "../../../packages/server/src/http/fetch-io.ts";
