// The order of bytes on one TCP connection.
import { expect, it } from "vitest";
import { Agenda } from "../world/agenda.ts";
import { Random } from "../world/random.ts";
import { Path, Wire } from "./path.ts";

it("delivers in the order of sending, also what waited while the path was cut", async () => {
  const agenda = new Agenda();
  const path = new Path(agenda, new Random(3));
  path.slowPart = 0.5;
  const arrived: number[] = [];
  const wire = new Wire<number>(agenda, path, (item) => void arrived.push(item));
  for (let item = 0; item < 40; item += 1) agenda.at(item * 10, () => wire.send(item));
  agenda.at(95, () => path.cut());
  await agenda.run(200);
  expect(arrived.length).toBeLessThan(12);
  path.restore();
  await agenda.run(5_000);
  expect(arrived).toEqual(Array.from({ length: 40 }, (_, item) => item));
});
