// Tests of callInBackground against a scripted server.
import { createClient } from "@lethe/client/edge";
import { type Dispatch, type Result, taskAugmentationOf } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it } from "vitest";
import { callInBackground } from "./call-in-background.ts";
import { clientCapabilities } from "./client-handlers.ts";

const task = (status: string, more: object = {}): Result => ({
  resultType: "task",
  taskId: "t",
  status,
  pollIntervalMs: 10,
  ...more,
});

/** Returns the answers in order. `asked` lists the requested methods. */
function serve(answers: readonly Result[]) {
  const asked: string[] = [];
  const dispatch: Dispatch = async (request) => {
    const { method, params } = request;
    const augmentation = taskAugmentationOf(request) ? " as a task" : "";
    asked.push(method === "tasks/get" ? `tasks/get ${String(params.taskId)}` : method + augmentation);
    return answers[asked.length - 1] ?? task("working");
  };
  const server = { supportedVersions: ["2026-07-28"], capabilities: {} } as never;
  const connection = {
    dispatch,
    era: "modern",
    revision: "2026-07-28",
    traits: revisionNamed("2026-07-28").traits,
    server,
    closed: new Promise<never>(() => {}),
    close: async () => {},
  } as const;
  return { asked, client: createClient(connection, "test", { capabilities: clientCapabilities }) };
}

it("callInBackground requests a task (D-38), polls it until it ends and returns its result (F-10)", async () => {
  const completed: Result = {
    ...task("completed", { result: { content: [{ type: "text", text: "done" }] } }),
    resultType: "complete",
  };
  const { client, asked } = serve([task("working"), { ...task("working"), resultType: "complete" }, completed]);
  expect(await callInBackground(client, { tool: "render" }, {})).toContain("done");
  expect(asked).toEqual(["tools/call as a task", "tasks/get t", "tasks/get t"]);
});

it("callInBackground reports a call that was answered without a task", async () => {
  const { client } = serve([{ resultType: "complete", content: [] }]);
  expect(await callInBackground(client, { tool: "render" }, {})).toContain("in the foreground");
});

it.each([
  [{ ...task("failed"), resultType: "complete" }, 1_000, "ended as failed"],
  [{ ...task("working"), resultType: "complete" }, 50, "still working"],
])("callInBackground rejects for the task %j within %d ms", async (answer, timeoutMs, message) => {
  const { client } = serve([task("working"), answer as Result]);
  await expect(callInBackground(client, { tool: "render" }, { timeoutMs })).rejects.toThrow(message);
});
