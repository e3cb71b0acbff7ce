import type { JsonObject, ModernRequest } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { recover } from "./recover.ts";

const request = (method: string, params: JsonObject = {}): ModernRequest => ({
  id: 1,
  method,
  params: { ...params, _meta: {} } as ModernRequest["params"],
});
const lost = new TransportError("lost", "the stream ended");

test.each([
  ["a read", request("resources/read", { uri: "a:b" }), true],
  ["a prompt", request("prompts/get", { name: "p" }), true],
  ["a call of a tool", request("tools/call", { name: "t" }), false],
  ["a read with what a user has answered", request("resources/read", { uri: "a:b", inputResponses: {} }), false],
  ["a read with the server's state", request("resources/read", { uri: "a:b", requestState: "s" }), false],
])(
  "%s whose answer was lost is sent again only when nothing can come of it twice (B-73)",
  async (_what, one, isSentAgain) => {
    const send = vi.fn(async () => ({ resultType: "complete" }));
    const recovered = recover(lost, one, send);
    if (isSentAgain) expect(await recovered).toEqual({ resultType: "complete" });
    else await expect(recovered).rejects.toBe(lost);
    expect(send).toHaveBeenCalledTimes(isSentAgain ? 1 : 0);
  },
);
