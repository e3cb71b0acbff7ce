import { errorCode, type JsonObject, method, notificationMethod, overloaded, tasksExtension } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { FoundTask } from "../../calls/find-task.ts";
import { RequestHold } from "../../calls/request-hold.ts";
import type { OnUpdate, ResourceSubscriptions } from "../../subscriptions/resource-subscriptions.ts";
import { SubscribedNames } from "../../subscriptions/subscribed-names.ts";
import type { OnState } from "../../subscriptions/task-subscriptions.ts";
import type { SubscriptionScope } from "../../subscriptions/upstream-listen.ts";
import { createFakeExchange, createFakeSessions, requestOf } from "../../testing/fakes.ts";
import { noTasksToFollow } from "../../testing/no-tasks.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { Listening, type ListenOptions } from "./listen.ts";

function setUp(grants: (uri: string) => boolean = () => true, tasks = noTasksToFollow) {
  const watching: { scope: SubscriptionScope; uris: readonly string[]; onUpdate: OnUpdate }[] = [];
  const reserved = { count: 0 };
  const resourceSubscriptions: ResourceSubscriptions = {
    size: 0,
    mostOfCaller: 0,
    close: () => {},
    reserve(callerId, count) {
      if (callerId === "greedy") throw overloaded("too much", 1);
      reserved.count += count;
      return () => {
        reserved.count -= count;
      };
    },
    async acquire(scope, asked, onUpdate) {
      const entry = { scope, uris: asked.filter(grants), onUpdate };
      watching.push(entry);
      return { uris: entry.uris, release: () => void watching.splice(watching.indexOf(entry), 1) };
    },
  };
  const owners = new Map<string, UpstreamSessions>(
    ["x", "y"].map((name) => [name, createFakeSessions({ name }).sessions]),
  );
  const listening = new Listening({
    resourceSubscriptions,
    hold: new RequestHold(),
    sessionsOf: (upstream) => owners.get(upstream),
    ownerOf(publicUri) {
      const uri = publicUri.replace(/^[xy]\+/, "");
      const sessions = owners.get(publicUri.slice(0, 1));
      return sessions && { sessions, uri };
    },
    tasks,
  });
  async function listen(notifications: JsonObject, callerId?: string, capabilities?: JsonObject) {
    const exchange = createFakeExchange(callerId);
    const request = requestOf(method.listen, { notifications }, capabilities ? { capabilities } : {});
    const ended = listening.listen(request, exchange);
    ended.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    return {
      exchange,
      ended,
      heard: () => exchange.notes.slice(1).map(({ method: told, params }) => params?.uri ?? told),
    };
  }
  return { listening, listen, watching, reserved };
}

describe("subscriptions at an endpoint", () => {
  it("acknowledges what the upstreams grant, under the caller's names (E-11, J-60)", async () => {
    const { listen, watching } = setUp((uri) => uri !== "x:/no");
    const resourceSubscriptions = ["x:/a", "x:/a", "x:/no", "y:/b", "z:/nobody"];
    const { exchange } = await listen({ toolsListChanged: true, resourceSubscriptions });
    expect(exchange.notes[0]).toMatchObject({
      method: notificationMethod.acknowledged,
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["x:/a", "y:/b"] } },
    });
    expect(watching.map(({ scope, uris }) => [scope.sessions.name, uris])).toEqual([
      ["x", ["x:/a"]],
      ["y", ["y:/b"]],
    ]);
  });

  it("reserves room for a subscription until it ends and rejects it if there is none", async () => {
    const { listen, listening, watching, reserved } = setUp();
    const asked = { resourceSubscriptions: ["x:/a", "x:/a", "z:/nobody"] };
    const { ended } = await listen(asked, "ann");
    expect(reserved.count).toBe(2);
    const refused = await listen(asked, "greedy");
    await expect(refused.ended).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: 1 } });
    expect(watching).toHaveLength(1);
    listening.close();
    await ended;
    expect(reserved.count).toBe(0);
  });

  it("omits refused members from the acknowledgement", async () => {
    const { listen } = setUp(() => false);
    const { exchange, ended } = await listen({ resourceSubscriptions: ["x:/a"] });
    expect(exchange.notes[0]?.params?.notifications).toEqual({});
    await ended;
  });

  it("releases watched resources when the caller disconnects", async () => {
    const { listen, watching } = setUp();
    const { exchange, ended } = await listen({ resourceSubscriptions: ["x:/a"] });
    expect(watching).toHaveLength(1);
    exchange.leave();
    await ended;
    expect(watching).toEqual([]);
  });

  it("forgets the names of a stream that ends while its caller has another one open", async () => {
    const join = vi.spyOn(SubscribedNames.prototype, "join");
    const { listen } = setUp();
    await listen({ toolsListChanged: true, resourceSubscriptions: ["x:/kept"] }, "ann");
    const { exchange, ended } = await listen({ resourceSubscriptions: ["x:/a", "x:/b"] }, "ann");
    const names = join.mock.contexts[0] as SubscribedNames | undefined;
    join.mockRestore();
    expect(names?.size).toBe(3);
    exchange.leave();
    await ended;
    expect(names?.size).toBe(1);
  });

  it("reports list changes to every caller and resource updates only from the caller's sessions", async () => {
    const { listen, listening, watching } = setUp();
    const ann = await listen({ promptsListChanged: true, resourceSubscriptions: ["x:/a"] }, "ann");
    const bob = await listen({ promptsListChanged: true, resourceSubscriptions: ["x:/a"] }, "bob");
    watching.find(({ scope }) => scope.callerId === "ann")?.onUpdate("x:/a");
    listening.publish("prompts");
    listening.publish("tools");
    expect(ann.heard()).toEqual(["x:/a", notificationMethod.promptsChanged]);
    expect(bob.heard()).toEqual([notificationMethod.promptsChanged]);
  });

  it("rejects a subscription to too many resources and watches none", async () => {
    const { listen, watching } = setUp();
    const resourceSubscriptions = Array.from({ length: 1_001 }, (_, index) => `x:/${index}`);
    const { ended } = await listen({ resourceSubscriptions });
    await expect(ended).rejects.toMatchObject({ code: -32602 });
    expect(watching).toEqual([]);
  });

  it("leaves the number of subscriptions of a caller to the limits of the edge", async () => {
    const { listen } = setUp();
    let acknowledged = 0;
    for (let opened = 0; opened < 1_001; opened += 1) {
      const { exchange } = await listen({ toolsListChanged: true }, "ann");
      acknowledged += exchange.notes.length;
    }
    expect(acknowledged).toBe(1_001);
  });

  it("ends subscriptions gracefully when the gateway closes (E-16) and accepts none afterwards", async () => {
    const { listen, listening } = setUp();
    const { ended } = await listen({ toolsListChanged: true });
    listening.close();
    expect(await ended).toMatchObject({ resultType: "complete" });
    const late = await listen({ toolsListChanged: true });
    await expect(late.ended).rejects.toMatchObject({ message: expect.stringContaining("shutting down") });
  });
});

describe("subscriptions to tasks at an endpoint", () => {
  /** Those that begin with the name of their caller can be followed. */
  function createTasks() {
    const followed = new Map<string, OnState>();
    const tasks = {
      isOffered: () => true,
      find: async (taskId, caller) =>
        taskId.startsWith(caller?.id ?? "-") ? ({ taskId, place: { upstream: "x" } } as FoundTask) : undefined,
      subscriptions: {
        ...noTasksToFollow.subscriptions,
        async acquire({ taskId }, _caller, onState) {
          followed.set(taskId, onState);
          return () => void followed.delete(taskId);
        },
      },
    } satisfies ListenOptions["tasks"];
    return { tasks, followed };
  }
  const declared = { extensions: { [tasksExtension]: {} } };

  it("follows the caller's own tasks and reports them to that caller (F-23)", async () => {
    const { tasks, followed } = createTasks();
    const { listen } = setUp(undefined, tasks);
    const taskIds = ["ann 1", "ann 1", "bob 1"];
    const { exchange, heard } = await listen({ toolsListChanged: true, taskIds }, "ann", declared);
    const granted = { toolsListChanged: true, taskIds: ["ann 1"] };
    expect(exchange.notes[0]?.params?.notifications).toEqual(granted);
    const task = { taskId: "ann 1", status: "working", createdAt: "", lastUpdatedAt: "", ttlMs: null } as const;
    followed.get("ann 1")?.(task);
    expect(heard()).toEqual([notificationMethod.task]);
    expect(exchange.notes[1]?.params).toMatchObject({ ...task });
    exchange.leave();
    await vi.waitFor(() => expect(followed.size).toBe(0));
  });

  it("rejects task subscriptions without the extension before it looks for tasks (F-13)", async () => {
    const { tasks } = createTasks();
    const find = vi.fn(tasks.find);
    const { ended } = await setUp(undefined, { ...tasks, find }).listen({ taskIds: ["ann 1"] }, "ann");
    await expect(ended).rejects.toMatchObject({ code: errorCode.missingClientCapability });
    expect(find).not.toHaveBeenCalled();
  });

  it("rejects subscriptions to too many tasks and follows none", async () => {
    const { tasks, followed } = createTasks();
    const taskIds = Array.from({ length: 1_001 }, (_, index) => `ann ${index}`);
    const { ended } = await setUp(undefined, tasks).listen({ taskIds }, "ann", declared);
    await expect(ended).rejects.toMatchObject({ code: errorCode.invalidParams });
    expect(followed.size).toBe(0);
  });

  it("omits tasks from the acknowledgement if no task source exists", async () => {
    const { exchange } = await setUp().listen({ toolsListChanged: true, taskIds: ["ann 1"] }, "ann", declared);
    expect(exchange.notes[0]?.params?.notifications).toEqual({ toolsListChanged: true });
  });
});
