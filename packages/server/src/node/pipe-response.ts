// Sends a web Response through node:http, at the pace of the client; its leaving cancels the body.
import type { ServerResponse } from "node:http";
import { createDrain } from "./drain.ts";

export async function pipeResponse(source: Response, target: ServerResponse): Promise<void> {
  target.writeHead(source.status, [...source.headers].flat());
  if (!source.body) {
    target.end();
    return;
  }
  target.flushHeaders();
  const reader = source.body.getReader();
  const drained = createDrain(target);
  const cancel = (): void => {
    reader.cancel().catch(() => {});
  };
  target.once("close", cancel);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!target.write(value)) await drained();
  }
  target.off("close", cancel);
  target.end();
}
