// Watches the requests of a client over HTTP.
import type { HttpSend } from "../../../packages/client/src/http/http-send.ts";
import { createTranscript } from "./transcript.ts";

export function watchSend(send: HttpSend): HttpSend {
  return (request) => {
    const { body, headers } = request;
    if (body?.startsWith("{") && headers["content-type"] === "application/json") {
      createTranscript("client", () => headers["mcp-protocol-version"]).wrote(JSON.parse(body));
    }
    return send(request);
  };
}
