import type { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { IdleConnections } from "./idle-connections.ts";

const longMs = 60_000;

function connection(state: Partial<Record<"bytesRead" | "bytesWritten" | "writableLength", number>> = {}) {
  return { bytesRead: 10, bytesWritten: 20, writableLength: 0, ...state, destroy: vi.fn<() => void>() };
}

function checking(...sockets: ReturnType<typeof connection>[]) {
  const open = new Set(sockets as unknown as Socket[]);
  const busy = new Set<Socket>();
  const connections = new IdleConnections({ sockets: open, busy: () => busy, idleTimeoutMs: longMs });
  connections.close();
  const check = (times: number): void => {
    for (let done = 0; done < times; done++) connections.check();
  };
  return { check, busy: busy as unknown as Set<unknown> };
}

it("closes a connection that is idle at five checks in a row, of which four make the idle time", () => {
  const socket = connection();
  const { check } = checking(socket);
  check(4);
  expect(socket.destroy).not.toHaveBeenCalled();
  check(1);
  expect(socket.destroy).toHaveBeenCalledOnce();
});

it("keeps a connection that has received something between two checks, even if no request runs at a check", () => {
  const socket = connection();
  const { check } = checking(socket);
  for (let request = 0; request < 10; request++) {
    check(4);
    socket.bytesRead += 1;
  }
  expect(socket.destroy).not.toHaveBeenCalled();
});

it("keeps a connection while its request runs, and for the whole idle time afterwards", () => {
  const socket = connection();
  const { check, busy } = checking(socket);
  check(4);
  busy.add(socket);
  check(10);
  busy.delete(socket);
  check(4);
  expect(socket.destroy).not.toHaveBeenCalled();
  check(1);
  expect(socket.destroy).toHaveBeenCalledOnce();
});

it("leaves a connection without a response, and one whose client still reads a response, to other limits", () => {
  const sockets = [connection({ bytesWritten: 0 }), connection({ writableLength: 1 })];
  checking(...sockets).check(10);
  for (const { destroy } of sockets) expect(destroy).not.toHaveBeenCalled();
});
