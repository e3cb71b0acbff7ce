// The cells of Tasks: the official package for clients of tasks, and our client at a published server.
import { connect } from "@lethe/client/node";
import { expect } from "vitest";
import type { Extension, Revision } from "./cell.ts";
import { callAsTask } from "./official-tasks.ts";
import { optionsOf, ownUpstreams, type Setting } from "./setting.ts";

export function tasksOf({ own, gateway, official }: Setting): Extension {
  const report = { structuredContent: { rows: 3 } };
  return {
    name: "Tasks",
    id: "io.modelcontextprotocol/tasks",
    cells: {
      server: {
        shows: "`@modelcontextprotocol/ext-tasks` calls a tool, gets a task, and follows it to its result.",
        async run(revision) {
          expect(await callAsTask(own, "report", revision)).toMatchObject(report);
        },
      },
      client: {
        shows:
          "Our client follows a task of `@modelcontextprotocol/server-everything` (2025-11-25), and one of a server of Lethe (2026-07-28): no other library for TypeScript serves the extension.",
        run: (revision) => (revision === "2025-11-25" ? followOfficial(official.tasks) : followOwn(own)),
      },
      "merged gateway": {
        shows: "The package follows tasks of servers of both revisions, under ids of the gateway.",
        run: (revision) => followEach(revision, (name) => [gateway, `${name}__report`]),
      },
      "single gateway": {
        shows: "The same at the endpoint of each server.",
        run: (revision) => followEach(revision, (name) => [`${gateway}/${name}`, "report"]),
      },
    },
  };

  async function followEach(revision: Revision, place: (name: string) => [url: string, tool: string]): Promise<void> {
    for (const name of ownUpstreams) expect(await callAsTask(...place(name), revision)).toMatchObject(report);
  }
}

async function followOwn(url: string): Promise<void> {
  const client = await connect(url, optionsOf("2026-07-28"));
  const task = await client.callTool("report", {}, { manual: true });
  expect(task.resultType).toBe("task");
  expect(await client.callTool("report")).toMatchObject({ structuredContent: { rows: 3 } });
  await client.close();
}

async function followOfficial(target: Setting["official"]["tasks"]): Promise<void> {
  const client = await connect(target, optionsOf("2025-11-25"));
  const seen: string[] = [];
  const result = await client.callTool(
    "simulate-research-query",
    { topic: "stateless servers", ambiguous: false },
    { task: true, onTask: ({ status }) => void seen.push(status) },
  );
  expect(seen).toContain("working");
  expect(result.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("stateless servers") });
  await client.close();
}
