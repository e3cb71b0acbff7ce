// The report generator: a task for a client that knows tasks, a call like any other for one that does not.
import { connect } from "@lethe/client";
import type { Task } from "@lethe/protocol";
import { afterEach, expect, it } from "vitest";
import type { Press } from "./press.ts";
import { createReports } from "./reports.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Creates a press that records its effects, and a client of a server that uses it. */
async function start(tasks: boolean, chapterMs: number) {
  const effects: string[] = [];
  const press: Press = {
    typeset: async ({ chapter }) => void effects.push(`chapter ${chapter}`),
    print: async () => effects.push("print"),
  };
  const server = createReports({ tasks: { afterMs: 20, pollIntervalMs: 20 }, press, chapterMs });
  const elicit = () => ({ action: "accept" as const, content: { tone: "cheerful" } });
  const client = await connect(server, { tasks, elicit });
  closers.push(
    () => client.close(),
    () => server.close(),
  );
  return { client, effects };
}

const written = {
  title: "Bugs",
  chapters: ["Chapter 1, neutral", "Chapter 2, neutral", "Chapter 3, cheerful", "Chapter 4, cheerful"],
  issue: 5,
};
const everything = ["chapter 1", "chapter 2", "chapter 3", "chapter 4", "print"];

it("a client with tasks gets a task, its status messages, and an input request half-way", async () => {
  const { client, effects } = await start(true, 40);
  const told: Task[] = [];
  const call = client.callTool("write_report", { title: "Bugs", chapters: 4 }, { onTask: (task) => told.push(task) });
  expect((await call).structuredContent).toEqual(written);
  expect(effects).toEqual(everything);
  expect(told.map(({ statusMessage }) => statusMessage)).toContain("writing chapter 2 of 4");
  expect(told.map(({ status }) => status)).toContain("input_required");
});

it("a client without tasks waits, gets the same input request, and causes the same effects", async () => {
  const { client, effects } = await start(false, 1);
  expect((await client.callTool("write_report", { title: "Bugs", chapters: 4 })).structuredContent).toEqual(written);
  expect(effects).toEqual(everything);
});
