// What a process does while it is frozen and after its death.
import { expect, it } from "vitest";
import { Agenda } from "./agenda.ts";
import { Random } from "./random.ts";
import { SimulatedProcess } from "./simulated-process.ts";

function start(drift = 0) {
  const agenda = new Agenda();
  const process = new SimulatedProcess("p", agenda, new Random(1), { drift, skewMs: 0 });
  return { agenda, process, ran: [] as string[] };
}

it("keeps timers and messages of a frozen process until it thaws, while its clock advances", async () => {
  const { agenda, process, ran } = start();
  const startedAt = process.clock.now();
  process.clock.after(5, () => ran.push("timer"));
  process.freeze();
  agenda.at(7, () => process.deliver(() => ran.push("message")));
  await agenda.run(100);
  expect(ran).toEqual([]);
  process.thaw();
  await agenda.run(100);
  expect(ran.sort()).toEqual(["message", "timer"]);
  expect(process.clock.now() - startedAt).toBeCloseTo(100);
});

it("runs nothing after the death of a process", async () => {
  const { agenda, process, ran } = start();
  process.clock.after(5, () => ran.push("timer"));
  process.kill();
  process.deliver(() => ran.push("message"));
  await agenda.run(100);
  expect(ran).toEqual([]);
});

it("measures time with the drift of the clock", async () => {
  const { agenda, process, ran } = start(0.5);
  const startedAt = process.clock.now();
  process.clock.after(30, () => ran.push(`timer at ${agenda.now}`));
  await agenda.run(100);
  expect(ran).toEqual(["timer at 20"]);
  expect(process.clock.now() - startedAt).toBeCloseTo(150);
});
