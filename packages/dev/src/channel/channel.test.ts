// Questions between two processes, here two ends in one process that exchange JSON.
import { McpError } from "@lethe/protocol";
import { AuthenticationError } from "@lethe/server/auth";
import { expect, it } from "vitest";
import { Channel, type Handlers } from "./channel.ts";

function connect(handlers: Handlers): Channel {
  const near: Channel = new Channel({ send: (message) => far.receive(copy(message)) }, {});
  const far: Channel = new Channel({ send: (message) => near.receive(copy(message)) }, handlers);
  return near;
}

const copy = (message: unknown): unknown => JSON.parse(JSON.stringify(message));

it("errors keep what their callers read: the code and data, or the challenge of a rejected token", async () => {
  const channel = connect({
    call() {
      throw new McpError(-32602, "wrong", { data: { reason: "r" } });
    },
    authenticate: () => Promise.reject(new AuthenticationError(401, "no", { wwwAuthenticate: "Bearer" })),
  });
  await expect(channel.ask("call")).rejects.toMatchObject({ name: "McpError", code: -32602, data: { reason: "r" } });
  await expect(channel.ask("authenticate")).rejects.toMatchObject({
    ...{ name: "AuthenticationError", status: 401, wwwAuthenticate: "Bearer" },
  });
});

it("everything that waits fails with the reason for which a channel is closed", async () => {
  const channel = connect({ call: () => new Promise(() => {}) });
  const waiting = channel.ask("call");
  channel.close(new Error("the process ended"));
  await expect(waiting).rejects.toThrow("the process ended");
  await expect(channel.ask("call")).rejects.toThrow("the process ended");
});
