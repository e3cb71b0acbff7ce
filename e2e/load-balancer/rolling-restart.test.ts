// Three replicas restart one after the other under load: callers lose no request, and learn of each lost session once.
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const counter = fileURLToPath(new URL("../servers/count-v1.mjs", import.meta.url));
const callers = ["ann", "bob", "cid", "dee", "eve"];

let fleet: GatewayFleet;
let clients: Client[];

beforeEach(async () => {
  fleet = await startFleet({ servers: { up: { command: process.execPath, args: [counter] } }, callers });
  clients = await Promise.all(callers.map((name) => fleet.connect(name)));
});

afterEach(async () => {
  await fleet.close();
});

/** The number that the server counted, or the reason of the failure. */
async function count(client: Client): Promise<unknown> {
  try {
    const [block] = (await client.callTool("up__count", {})).content;
    return block && "text" in block ? Number(block.text.split(" ")[1]) : undefined;
  } catch (error) {
    return isMcpError(error) && isJsonObject(error.data) ? error.data.reason : error;
  }
}

it("a rolling restart fails no call except one for each session whose state is lost", async () => {
  const rolling = { isOver: false };
  const seen = clients.map(async (client) => {
    const outcomes: unknown[] = [];
    while (!rolling.isOver) {
      outcomes.push(await count(client));
      await sleep(50);
    }
    return outcomes;
  });
  try {
    for (const index of fleet.replicas.keys()) await fleet.restart(index);
  } finally {
    rolling.isOver = true;
  }
  for (const outcomes of await Promise.all(seen)) {
    let expected = 1;
    const [last, ...earlier] = outcomes.toReversed();
    expect(last).toSatisfy((outcome) => typeof outcome === "number" || outcome === "session_lost");
    for (const outcome of earlier.toReversed()) {
      // After a notice, the count begins again. Without one, no number is missing or repeated.
      if (outcome === "session_lost") expected = 1;
      else expect(outcome).toBe(expected++);
    }
    // Each of the three restarts ends at most the session that the caller has at that replica.
    expect(outcomes.filter((outcome) => outcome === "session_lost").length).toBeLessThanOrEqual(3);
  }
});
