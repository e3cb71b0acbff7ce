import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { allowClosedOutput } from "./closed-output.ts";

async function failWith(code: string): Promise<string[]> {
  const heard: string[] = [];
  const output = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  allowClosedOutput([output], ({ message }) => heard.push(message));
  const closed = new Promise((resolve) => output.once("close", resolve));
  output.write("x");
  await closed;
  return heard;
}

it("a closed output is no failure", async () => {
  expect(await failWith("EPIPE")).toEqual([]);
});

it("a full disk is a failure", async () => {
  expect(await failWith("ENOSPC")).toEqual(["ENOSPC"]);
});
