// The faults of single direct connections, while their replicas reach each other and Redis.
import type { DirectConnection } from "../network/direct-connection.ts";
import type { World } from "../world/world.ts";
import { cutPaths, drawDirections } from "./cut-paths.ts";
import type { Fault } from "./fault.ts";

const none = { what: "there is no direct connection that could fail" };

/** About half of the faults last until an end gives up a connection on which nothing arrives. */
function drawLength({ random }: World): number {
  return random.pick([random.between(1, 2_500), random.between(2_500, 8_000)]);
}

function pickConnection({ connections, random }: World): DirectConnection | undefined {
  return connections.size === 0 ? undefined : random.pick([...connections]);
}

/** Both ends learn of it, or one: the other one learns of it when it sends. */
function reset({ ends, client, server }: DirectConnection, { random }: World): void {
  for (const end of random.pick([ends, [client], [server]])) end.forgeReset();
}

/** The network works again, and knows nothing of the connection. */
export function endSilence(connection: DirectConnection): void {
  if (!connection.isSilent) return;
  connection.isSilent = false;
  for (const end of connection.ends) end.forgeReset();
}

export const directFaults: Record<string, Fault> = {
  "cut between replicas": {
    weight: 8,
    begin(world, { machines }) {
      const one = world.random.pick(machines);
      const pairs = drawDirections(world, one, world.random.pick(machines.filter((other) => other !== one)));
      const what = `cut: ${pairs.map((pair) => pair.join(" to ")).join(", ")}`;
      return { what, end: cutPaths(world, pairs), lengthMs: drawLength(world) };
    },
  },
  "direct connection reset": {
    weight: 5,
    begin(world) {
      const connection = pickConnection(world);
      if (!connection) return none;
      reset(connection, world);
      return { what: "a direct connection is reset" };
    },
  },
  "direct connection silent": {
    weight: 3,
    begin(world) {
      const connection = pickConnection(world);
      if (!connection) return none;
      connection.isSilent = true;
      for (const end of connection.ends) end.loseSent();
      const what = "a direct connection is silent";
      return { what, end: () => endSilence(connection), lengthMs: drawLength(world) };
    },
  },
};
