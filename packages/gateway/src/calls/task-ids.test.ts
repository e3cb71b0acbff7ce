import { createSeal } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import { expect, it } from "vitest";
import { createTaskIds, maxTaskIdBytes, type TaskLocation, taskIdTtlMs } from "./task-ids.ts";

const [ann, bob] = [{ id: "ann" }, { id: "bob" }];
const place: TaskLocation = { upstream: "up", id: "inner", tool: "work", handle: "h", replica: "r" };
const ring = createKeyRing(`k1:${Buffer.alloc(32, 7).toString("base64url")}`);
const idsOf = (keys = ring, now = Date.now) =>
  createTaskIds(createSeal(keys, { server: "g", ttlMs: taskIdTtlMs, maxBytes: maxTaskIdBytes, now }));

it("an id says where the task is, to every replica with the same keys", async () => {
  const taskId = await idsOf().mint(place, ann);
  expect(await idsOf().open(taskId, ann)).toEqual(place);
  expect(taskId).not.toContain("inner");
});

it("an id opens for its caller only, and says nothing to anybody else (F-25)", async () => {
  const taskId = await idsOf().mint(place, ann);
  expect(await idsOf().open(taskId, bob)).toBeUndefined();
  expect(await idsOf().open(taskId, undefined)).toBeUndefined();
  expect(await idsOf().open(await idsOf().mint(place, undefined), ann)).toBeUndefined();
  expect(await idsOf(createKeyRing()).open(taskId, ann)).toBeUndefined();
  for (const guess of ["", "inner", `${taskId}A`, taskId.slice(0, -1)]) {
    expect(await idsOf().open(guess, ann)).toBeUndefined();
  }
});

it("an id is good for years: whether there still is a task is not for the gateway to say", async () => {
  const taskId = await idsOf().mint(place, ann);
  const later = () => Date.now() + 5 * 365 * 86_400_000;
  expect(await idsOf(ring, later).open(taskId, ann)).toEqual(place);
});

it("what was sealed for something else is no id", async () => {
  const seal = createSeal(ring, { server: "g" });
  const binding = { callerId: "ann", method: "tasks/*", target: "", arguments: "" };
  expect(await idsOf().open(await seal.seal({ upstream: "up" }, binding), ann)).toBeUndefined();
  const state = await seal.seal({ ...place }, { ...binding, method: "tools/call" });
  expect(await idsOf().open(state, ann)).toBeUndefined();
});
