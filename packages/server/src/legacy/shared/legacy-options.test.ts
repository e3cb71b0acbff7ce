// The option `legacy` of createServer. It lives here because a server without this folder has no such option.
import { expect, it } from "vitest";
import { createServer } from "../../create-server.ts";

it.each([5, true, null, [], "off"])("createServer rejects legacy: %j, which is no object", (legacy) => {
  const define = () => createServer({ name: "shop", version: "1" }, { legacy: legacy as never });
  expect(define).toThrow('createServer: legacy: an object such as { sessions: "off" } expected, got ');
});
