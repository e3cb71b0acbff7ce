// A kind of fault.
import type { Cluster } from "../world/cluster.ts";
import type { World } from "../world/world.ts";

export interface BegunFault {
  /** What to write in the history. */
  readonly what: string;
  readonly end?: () => void;
  /** Default: as long as most faults. */
  readonly lengthMs?: number;
}

export interface Fault {
  readonly weight: number;
  begin(world: World, cluster: Cluster): BegunFault;
}
