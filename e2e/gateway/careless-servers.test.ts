// A server that violates the schema next to a valid one: every client still sees all items of the valid one.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callers } from "./callers.ts";
import { type RunningGateway, runGateway } from "./in-process.ts";

const file = (name: string): string => fileURLToPath(new URL(`../servers/${name}`, import.meta.url));
let running: RunningGateway;

beforeAll(async () => {
  const upstreams = ["careless", "keeper"].map((name) => ({
    ...{ name, kind: "stdio" as const, command: process.execPath, args: [file(`${name}.mjs`)], env: {} },
  }));
  running = await runGateway({ upstreams });
});
afterAll(() => running?.close());

describe.each(callers)("%s", (_, connect) => {
  it("a caller sees the tools of the other server and the valid tools of the careless server", async () => {
    const caller = await connect(running.url);
    const names = await caller.toolNames();
    expect(names.filter((name) => name.startsWith("keeper__")).length).toBeGreaterThan(2);
    expect(names.filter((name) => name.startsWith("careless__"))).toEqual(
      ["untyped", "nulls", "numbers", "icons", "fine"].map((name) => `careless__${name}`),
    );
    expect(await caller.call("careless__nulls", {})).toMatchObject({ content: [{ text: "nulls" }] });
    await caller.close();
  });
});

it("the gateway logs which entries it removes from which list", () => {
  const told = (problem: string) => expect.stringMatching(`^careless: .*${problem}`);
  expect(running.problems).toEqual(
    expect.arrayContaining([
      told("an entry of its tools is left out: it has no name"),
      told("tool typed is left out"),
      told("tool numbers is offered without .*title, description, icons, annotations"),
      told("an entry of its resourceTemplates is left out"),
    ]),
  );
});
