// The functions of the core contract: the order of middleware, and cancellation.
import { expect, test, vi } from "vitest";
import type { ModernRequest } from "../meta/envelope.ts";
import { type Dispatch, type Exchange, type Middleware, onAbort, withMiddleware } from "./dispatch.ts";

function exchangeOf(members: Partial<Exchange>): Exchange {
  return members as Exchange;
}

test("the first middleware sees a request first and its result last", async () => {
  const seen: string[] = [];
  const named = (name: string): Middleware => {
    return (next) => async (request, exchange) => {
      seen.push(`${name} in`);
      const result = await next(request, exchange);
      seen.push(`${name} out`);
      return result;
    };
  };
  const answer: Dispatch = async () => ({ resultType: "complete" });
  await withMiddleware(answer, [named("outer"), named("inner")])({} as ModernRequest, exchangeOf({}));
  expect(seen).toEqual(["outer in", "inner in", "inner out", "outer out"]);
});

test("onAbort uses the onAbort member of an exchange and creates no signal", () => {
  const own = vi.fn();
  const exchange = exchangeOf({ onAbort: own });
  Object.defineProperty(exchange, "signal", {
    get: () => {
      throw new Error("made");
    },
  });
  const callback = vi.fn();
  onAbort(exchange, callback);
  expect(own).toHaveBeenCalledExactlyOnceWith(callback);
});

test("onAbort listens to the signal of any other exchange, also if it is already aborted", () => {
  const controller = new AbortController();
  const exchange = exchangeOf({ signal: controller.signal });
  const [before, after] = [vi.fn(), vi.fn()];
  onAbort(exchange, before);
  expect(before).not.toHaveBeenCalled();
  controller.abort();
  onAbort(exchange, after);
  expect(before).toHaveBeenCalledOnce();
  expect(after).toHaveBeenCalledOnce();
});
