// Gateway-made tasks whose replica is gone: their ends are read, their calls run again where that is allowed, or they fail.
import { type Dispatch, type Exchange, isTaskResult, type ModernRequest, method, type Result } from "@lethe/protocol";
import { ReplicaError } from "@lethe/server/stores";
import { describe, expect, it, vi } from "vitest";
import { createFakeConnection, done } from "../testing/fakes.ts";
import { createMemoryRecords, type ReplicaPlan, useReplicas } from "../testing/task-replica.ts";

const start = useReplicas({ tasks: "auto" });

/** Replicas that share records. `calls` counts the calls that reached the upstream of each replica. */
function setUp(plan: Partial<ReplicaPlan> = {}) {
  const records = createMemoryRecords();
  const others = new Map<string, Dispatch>();
  const running: { name: string; request: ModernRequest; exchange: Exchange; end(result: Result | Error): void }[] = [];
  const replica = (name: string) =>
    start({
      connect: () =>
        createFakeConnection({
          dispatch: (request, exchange) =>
            new Promise((resolve, reject) => {
              const end = (result: Result | Error) => (result instanceof Error ? reject(result) : resolve(result));
              exchange.signal.addEventListener("abort", () => reject(new Error("cancelled")));
              running.push({ name, request, exchange, end });
            }),
        }),
      ...{ records, others, name },
      ...plan,
    });
  const [one, two, three] = [replica("one"), replica("two"), replica("three")];
  const kill = (name: string) => void others.delete(name);
  const ranAt = () => running.map(({ name }) => name);
  return { one, two, three, kill, running, ranAt, records, others };
}

describe("a task whose replica is gone", () => {
  it("every other replica returns the result if the task had ended", async () => {
    const { one, two, three, kill, running } = setUp();
    const { taskId } = await one.call();
    running[0]?.end(done);
    await one.reach(taskId, "completed");
    kill("one");
    for (const replica of [two, three]) {
      expect(await replica.get(taskId)).toMatchObject({
        taskId,
        status: "completed",
        result: { content: done.content },
      });
    }
    await expect(two.get(taskId, "bob")).rejects.toMatchObject({ message: "unknown task" });
  });

  it("fails with a typed error if its call must not run twice, and the call does not run again", async () => {
    const { one, two, kill, ranAt } = setUp();
    const { taskId } = await one.call();
    kill("one");
    expect(await two.get(taskId)).toMatchObject({
      taskId,
      status: "failed",
      error: { code: -32603, data: { reason: "task_lost", upstream: "up" } },
    });
    expect(await two.send(method.cancelTask, { taskId })).toMatchObject({ resultType: "complete" });
    expect(ranAt()).toEqual(["one"]);
  });

  it("runs again once under the same id if the tool and the operator allow it, and every replica finds it", async () => {
    const { one, two, three, kill, running, ranAt } = setUp({ isRepeatable: true });
    const { taskId } = await one.call({ arguments: { place: "A" } });
    kill("one");
    const states = await Promise.all([two, three, two, three].map((replica) => replica.get(taskId)));
    expect(states.map(({ status }) => status)).toEqual(Array(4).fill("working"));
    await vi.waitFor(() => expect(running).toHaveLength(2));
    expect(running[1]?.request.params.arguments).toEqual({ place: "A" });
    running[1]?.end(done);
    const results = await Promise.all([two, three].map((replica) => replica.reach(taskId, "completed")));
    expect(results).toEqual([
      expect.objectContaining({ taskId, result: expect.objectContaining({ content: done.content }) }),
      expect.objectContaining({ taskId, result: expect.objectContaining({ content: done.content }) }),
    ]);
    // The replica that ran it again is lost, too.
    kill(ranAt()[1] as string);
    const left = ranAt()[1] === "two" ? three : two;
    expect(await left.get(taskId)).toMatchObject({ taskId, status: "completed" });
    expect(running).toHaveLength(2);
  });

  it("runs again at a third replica if the second one is lost as well, and can be cancelled there", async () => {
    const { one, two, three, kill, running, ranAt } = setUp({ isRepeatable: true });
    const { taskId } = await one.call();
    kill("one");
    await two.get(taskId);
    await vi.waitFor(() => expect(ranAt()).toEqual(["one", "two"]));
    kill("two");
    expect(await three.get(taskId)).toMatchObject({ status: "working" });
    await vi.waitFor(() => expect(ranAt()).toEqual(["one", "two", "three"]));
    await three.send(method.cancelTask, { taskId });
    expect(await three.get(taskId)).toMatchObject({ status: "cancelled" });
    expect(running[2]?.exchange.signal.aborted).toBe(true);
  });

  it("a call that runs again declares no tasks, because a replica that it is forwarded to must not make one", async () => {
    const { one, two, kill, running } = setUp({ isRepeatable: true });
    const task = await one.call();
    expect(isTaskResult(task)).toBe(true);
    kill("one");
    await two.get(task.taskId);
    await vi.waitFor(() => expect(running).toHaveLength(2));
    const { _meta } = running[1]?.request.params ?? {};
    expect(JSON.stringify(_meta)).not.toContain("io.modelcontextprotocol/tasks");
  });

  it("a request for it waits while the records are unreachable", async () => {
    const { one, two, kill, running, records } = setUp();
    const { taskId } = await one.call();
    running[0]?.end(done);
    await one.reach(taskId, "completed");
    kill("one");
    records.fails = true;
    const polled = two.get(taskId);
    await vi.advanceTimersByTimeAsync(300);
    records.fails = false;
    expect(await polled).toMatchObject({ status: "completed" });
  });

  it("a poll that was under way when the replica failed is repeated, and an update is not", async () => {
    const { one, two, running, others } = setUp();
    const { taskId } = await one.call();
    running[0]?.end(done);
    await one.reach(taskId, "completed");
    others.set("one", async () => {
      others.delete("one");
      throw new ReplicaError("lost", "stopped while it answered");
    });
    const polled = two.get(taskId);
    await vi.advanceTimersByTimeAsync(300);
    expect(await polled).toMatchObject({ status: "completed" });
    others.set("one", () => Promise.reject(new ReplicaError("lost", "stopped while it answered")));
    await expect(two.send(method.updateTask, { taskId, inputResponses: {} })).rejects.toMatchObject({
      data: { reason: "lost" },
    });
  });

  it("is unknown after its time, and lost before if nothing is recorded", async () => {
    const { one, two, kill, records } = setUp({ bounds: { ttlMs: 60_000 } });
    records.fails = true;
    const { taskId } = await one.call();
    records.fails = false;
    kill("one");
    await expect(two.get(taskId)).rejects.toMatchObject({ data: { reason: "task_lost" } });
    await vi.advanceTimersByTimeAsync(65_000);
    await expect(two.get(taskId)).rejects.toMatchObject({ code: -32602, message: "unknown task" });
  });

  it("continues elsewhere if its replica stops in order", async () => {
    const { one, two, kill, ranAt } = setUp({ isRepeatable: true });
    const { taskId } = await one.call();
    kill("one");
    await one.close();
    expect(await two.get(taskId)).toMatchObject({ status: "working" });
    await vi.waitFor(() => expect(ranAt()).toEqual(["one", "two"]));
  });
});
