// `connect` for any runtime that has fetch: URLs and servers in the same process.
import { createFetchSend } from "../http/fetch-send.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { type Connect, createConnect } from "./create-connect.ts";

export const connect: Connect = createConnect({
  createSend: () => ({ send: createFetchSend(), close: () => {} }),
  legacy: { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse },
});
