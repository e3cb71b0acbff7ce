// The order of events, and that promises settle between them.
import { expect, it } from "vitest";
import { Agenda } from "./agenda.ts";

it("runs events in the order of their times, and events of one time in the order of their planning", async () => {
  const agenda = new Agenda();
  const ran: string[] = [];
  const plan = (at: number, name: string) => agenda.at(at, () => void ran.push(`${name} at ${agenda.now}`));
  plan(30, "c");
  plan(10, "a");
  plan(30, "d");
  const cancel = plan(20, "cancelled");
  plan(20, "b");
  cancel();
  await agenda.run(100);
  expect(ran).toEqual(["a at 10", "b at 20", "c at 30", "d at 30"]);
  expect(agenda.now).toBe(100);
});

it("lets all promises settle before the next event", async () => {
  const agenda = new Agenda();
  const ran: string[] = [];
  async function work(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) await undefined;
    ran.push("promises");
  }
  agenda.at(1, () => void work());
  agenda.at(1, () => void ran.push("event"));
  await agenda.run(2);
  expect(ran).toEqual(["promises", "event"]);
});

it("stops when its caller says so, and rejects with the error of an event", async () => {
  const agenda = new Agenda();
  let count = 0;
  const increase = (): void => {
    count += 1;
  };
  for (let at = 1; at <= 5; at += 1) agenda.at(at, increase);
  await agenda.run(10, () => count === 2);
  expect([count, agenda.now]).toEqual([2, 2]);
  agenda.at(3, () => {
    throw new Error("broken");
  });
  await expect(agenda.run(10)).rejects.toThrow("broken");
});
