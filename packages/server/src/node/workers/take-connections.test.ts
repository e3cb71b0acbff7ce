import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createListener, type Socket } from "node:net";
import { expect, it, vi } from "vitest";
import type { ConnectionMessage } from "./listening.ts";
import type { ParentLink } from "./parent-link.ts";
import { takeConnections } from "./take-connections.ts";

it("serves a connection that the parent gave before the worker had the answer that it may listen, and says which one did not come", async () => {
  const listener = createListener({ pauseOnConnect: true, allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const answered = once(get({ port, host: "127.0.0.1", agent: false }), "response");
  const [socket] = (await once(listener, "connection")) as [Socket];
  const sent = vi.fn();
  const send = process.send;
  Reflect.set(process, "send", sent);
  const listeners = process.listeners("message");
  const server = createServer((_request, response) => response.end());
  try {
    const link = {
      request: async () => {
        for (const address of ["another", "here"]) {
          const message: ConnectionMessage = { lethe: "connection", id: 1, address };
          process.emit("message", message, address === "here" ? socket : undefined);
        }
        return { address: "here", port };
      },
    } as unknown as ParentLink;
    const at = { host: "127.0.0.1", port };
    await takeConnections(link, server, { ...at, count: () => 0, track: () => {}, idleTimeoutMs: 1_000 });
    expect(sent.mock.calls).toEqual([[{ lethe: "taken", id: 1, isTaken: true }]]);
    // The system could not pass the second connection.
    for (const id of [1, 2]) process.emit("message", { lethe: "given", id, address: "here" }, undefined);
    expect(sent.mock.calls.slice(1)).toEqual([[{ lethe: "taken", id: 2, isTaken: false, isLost: true }]]);
  } finally {
    Reflect.set(process, "send", send);
    for (const added of process.listeners("message")) {
      if (!listeners.includes(added)) process.off("message", added);
    }
  }
  const [response] = (await answered) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
  listener.close();
});
