import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import { call } from "../testing/call.ts";

const many = Array.from({ length: 150 }, (_, index) => `v${index}`);
const server = createServer({ name: "s", version: "1" })
  .prompt("p", {
    argsSchema: z.object({ language: z.string(), other: z.string() }),
    complete: {
      language: async (value, { arguments: { other = "" }, caller }) => [`${value}${other}`, caller?.id ?? "nobody"],
    },
    handler: () => "x",
  })
  .prompt("guarded", {
    argsSchema: z.object({ a: z.string() }),
    scopes: ["x"],
    complete: { a: () => ["secret"] },
    handler: () => "x",
  })
  .resourceTemplate("a://{all}/{page}", {
    complete: { all: () => many, page: () => ({ values: ["a"], total: 9 }) },
    handler: () => "x",
  });

const ask = (ref: object, name: string, more: object = {}, caller = { id: "c", scopes: [] }) =>
  call(server, "completion/complete", { ref, argument: { name, value: "v" }, ...more }, { caller });
const prompt = { type: "ref/prompt", name: "p" };
const template = { type: "ref/resource", uri: "a://{all}/{page}" };

describe("completion/complete", () => {
  it("calls the argument's completer with the other arguments and the caller (E-60)", async () => {
    expect(await ask(prompt, "language", { context: { arguments: { other: "o" } } })).toMatchObject({
      resultType: "complete",
      completion: { values: ["vo", "c"], total: 2, hasMore: false },
    });
  });

  it("returns at most 100 completion values (E-60)", async () => {
    const { completion } = await ask(template, "all");
    expect(completion).toEqual({ values: many.slice(0, 100), total: 150, hasMore: true });
  });

  it("lets a completer return one page of many", async () => {
    expect(await ask(template, "page")).toMatchObject({ completion: { values: ["a"], total: 9, hasMore: true } });
  });

  it("completes the variables of the template that a URI names", async () => {
    const ref = { type: "ref/resource", uri: "a://x/y" };
    expect(await ask(ref, "page")).toMatchObject({ completion: { values: ["a"] } });
  });

  it("returns no values for an argument without a completer", async () => {
    expect(await ask(prompt, "other")).toMatchObject({ completion: { values: [], hasMore: false } });
  });

  it.each([
    [{ type: "ref/prompt", name: "q" }, "language", 'unknown prompt: "q"'],
    [prompt, "nothing", 'unknown argument: "nothing"'],
    [{ type: "ref/resource", uri: "b://x" }, "page", "resource not found"],
    [{ type: "ref/tool", name: "t" }, "a", '"ref.type" must be'],
  ])("rejects completion for %j with argument %j with -32602", async (ref, name, message) => {
    await expect(ask(ref, name)).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(message) });
  });

  it("returns no values for a prompt that the caller may not use", async () => {
    await expect(ask({ type: "ref/prompt", name: "guarded" }, "a")).rejects.toMatchObject({
      data: { requiredScopes: ["x"] },
    });
  });
});
