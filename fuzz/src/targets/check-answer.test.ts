import { expect, it } from "vitest";
import { wrongAnswer } from "./check-answer.ts";

const error = (message: string): string => `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"${message}"}}`;

it("a status 5xx is wrong, except 503 with Retry-After from a server that may be busy", () => {
  expect(wrongAnswer({ status: 500, text: "" })).toContain("status 500");
  expect(wrongAnswer({ status: 503, text: "" })).toContain("status 503");
  expect(wrongAnswer({ status: 503, text: "", mayBeBusy: true })).toBeUndefined();
});

it("an internal error is wrong, also among correct messages", () => {
  expect(wrongAnswer({ text: `[{"result":{}},${error("internal error")}]` })).toBe("error -32603: internal error");
});

it("the errors of a time limit are correct", () => {
  expect(wrongAnswer({ text: error("the request took longer than 2000 ms") })).toBeUndefined();
});
