// Roots of the one caller of a connection, for a server that asks outside of calls.
import { expect, it, vi } from "vitest";
import { createCallerRoots } from "./caller-roots.ts";

function create() {
  const requester = { respond: vi.fn(), refuse: vi.fn(), notify: vi.fn(async () => {}) };
  const message = (id: string) => ({ jsonrpc: "2.0", id, method: "roots/list" }) as const;
  return { requester, message, roots: createCallerRoots({ requester }) };
}

it("a new version of the caller's roots discards the known ones and notifies the server once", () => {
  const { requester, message, roots } = create();
  roots.update(undefined);
  roots.learn({ roots: [] });
  roots.ask(message("a"));
  expect(requester.respond).toHaveBeenCalledTimes(1);
  expect(requester.notify).not.toHaveBeenCalled();
  roots.update("one");
  roots.update("one");
  roots.update(undefined);
  expect(requester.notify.mock.calls).toEqual([["notifications/roots/list_changed"]]);
  roots.ask(message("b"));
  expect(requester.respond).toHaveBeenCalledTimes(1);
  expect(roots.take()).toEqual([message("b")]);
});
