import { expect, it } from "vitest";
import { type Plan, takeTurns } from "./workload.ts";

it("stops each contender once, and a contender that fails at once while the others continue", async () => {
  const stopped: string[] = [];
  const plan = { rounds: 2, progress: () => {} } as unknown as Plan;
  const rows = await takeTurns(plan, [{ name: "broken" }, { name: "good" }], async ({ name }) => ({
    async measure() {
      if (name === "broken") throw new Error("no answer");
      return { ms: 1 };
    },
    stop: async () => void stopped.push(name),
  }));
  expect(stopped).toEqual(["broken", "good"]);
  expect(rows).toEqual([
    { contender: "broken", samples: [], failure: "no answer" },
    { contender: "good", samples: [{ ms: 1 }, { ms: 1 }] },
  ]);
});
