// The defaults of `connect`.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HttpSend } from "../http/http-send.ts";
import { createConnect } from "./create-connect.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("connect waits 60 s for the first response of a server over HTTP", async () => {
  const send: HttpSend = ({ signal }) =>
    new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  const connect = createConnect({ createSend: () => ({ send, close: () => {} }) });
  const settled = vi.fn();
  const connecting = connect("http://localhost/mcp").catch(settled);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  await connecting;
  expect(settled).toHaveBeenCalledWith(expect.objectContaining({ reason: "timeout" }));
});
