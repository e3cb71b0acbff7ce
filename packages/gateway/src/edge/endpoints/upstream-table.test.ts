import { expect, it } from "vitest";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { UpstreamTable } from "./upstream-table.ts";

it("finds the retiring sessions of one upstream among those of many, until they have ended", async () => {
  let looks = 0;
  const sessionsOf = (upstream: string) => {
    const sessions = {
      get name() {
        looks += 1;
        return upstream;
      },
    };
    return sessions as UpstreamSessions;
  };
  const table = new UpstreamTable();
  const [older, newer] = [sessionsOf("up"), sessionsOf("up")];
  const ended = new Promise<void>((resolve) => void setImmediate(resolve));
  table.addRetiring(older, ended);
  table.addRetiring(newer, new Promise(() => {}));
  for (let index = 0; index < 100; index++) table.addRetiring(sessionsOf(`other ${index}`), new Promise(() => {}));
  looks = 0;
  expect(table.retiredOf("up")).toEqual([older, newer]);
  expect(looks).toBe(0);
  await ended;
  await table.retiring.get(older);
  expect(table.retiredOf("up")[0] === newer).toBe(true);
  expect([table.retiredOf("up").length, table.retiring.size]).toEqual([1, 101]);
});
