// One address with changing servers behind it: each request goes to the current one.
import { request as send } from "node:http";
import { listen } from "./fixture.ts";

export interface Switch {
  readonly url: string;
  /** The received requests, in order. */
  readonly seen: readonly { verb: string; sessionId: string | undefined }[];
  /** Forwards later requests to this server. */
  to(url: string): void;
  /** Forwards the next POST and withholds its response. */
  holdNext(): { begun: Promise<void>; letGo(): void };
  close(): Promise<void>;
}

export async function startSwitch(first: string): Promise<Switch> {
  let target = first;
  let hold: { begin(): void; released: Promise<void> } | undefined;
  const seen: { verb: string; sessionId: string | undefined }[] = [];
  const front = await listen(async (request, response) => {
    const { method: verb = "GET" } = request;
    const held = verb === "POST" ? hold : undefined;
    if (held) hold = undefined;
    const { host: _, ...headers } = request.headers;
    seen.push({ verb, sessionId: headers["mcp-session-id"] as string | undefined });
    const forward = send(target, { method: verb, headers }, async (answer) => {
      held?.begin();
      await held?.released;
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    forward.on("error", () => response.destroy());
    response.on("close", () => forward.destroy());
    request.pipe(forward);
  });
  return {
    url: front.url,
    seen,
    to(url) {
      target = url;
    },
    holdNext() {
      let letGo = (): void => {};
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const begun = new Promise<void>((begin) => {
        hold = { begin, released };
      });
      return { begun, letGo };
    },
    close: front.close,
  };
}
