import { createSeal } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import { expect, it } from "vitest";
import { createTaskIds, maxTaskIdBytes, type TaskLocation, taskIdTtlMs } from "./task-ids.ts";

const [ann, bob] = [{ id: "ann" }, { id: "bob" }];
const place: TaskLocation = { upstream: "up", id: "inner", tool: "work", handle: "h", replica: "r" };
const ring = createKeyRing(`k1:${Buffer.alloc(32, 7).toString("base64url")}`);
const idsOf = (keys = ring, now = Date.now) =>
  createTaskIds(createSeal(keys, { server: "g", ttlMs: taskIdTtlMs, maxBytes: maxTaskIdBytes, now }));

it("a task id leads to its task in every replica with the same keys", async () => {
  const taskId = await idsOf().mint(place, ann);
  expect(await idsOf().open(taskId, ann)).toEqual(place);
  expect(taskId).not.toContain("inner");
});

it("a task id opens only for its caller and reveals nothing to others (F-25)", async () => {
  const taskId = await idsOf().mint(place, ann);
  expect(await idsOf().open(taskId, bob)).toBeUndefined();
  expect(await idsOf().open(taskId, undefined)).toBeUndefined();
  expect(await idsOf().open(await idsOf().mint(place, undefined), ann)).toBeUndefined();
  expect(await idsOf(createKeyRing()).open(taskId, ann)).toBeUndefined();
  for (const guess of ["", "inner", `${taskId}A`, taskId.slice(0, -1)]) {
    expect(await idsOf().open(guess, ann)).toBeUndefined();
  }
});

it("a task id stays valid for years, because the owner of the task decides whether it exists", async () => {
  const taskId = await idsOf().mint(place, ann);
  const later = () => Date.now() + 5 * 365 * 86_400_000;
  expect(await idsOf(ring, later).open(taskId, ann)).toEqual(place);
});

it("rejects text sealed for another purpose as a task id", async () => {
  const seal = createSeal(ring, { server: "g" });
  const binding = { callerId: "ann", method: "tasks/*", target: "", arguments: "" };
  expect(await idsOf().open(await seal.seal({ upstream: "up" }, binding), ann)).toBeUndefined();
  const state = await seal.seal({ ...place }, { ...binding, method: "tools/call" });
  expect(await idsOf().open(state, ann)).toBeUndefined();
});
