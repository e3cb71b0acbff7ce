// The replicas of a deployment and the sessions that callers opened there.
import { sessionName } from "./call-size.ts";
import type { MeasuredWorld } from "./measured-world.ts";
import type { Deployment } from "./options.ts";
import { ScaleReplica } from "./scale-replica.ts";

/** Replicas start one after another, as in a rolling deployment, in ms. */
const startEveryMs = 20;
/** The first replica waits for others to return; then each asks each other one directly, once. */
const settleMs = 7_000;
const openLimitMs = 600_000;
/** Sessions that one replica opens at the same time. */
const openAtOnce = 16;

export class Fleet {
  readonly world: MeasuredWorld;
  readonly replicas: readonly ScaleReplica[];
  readonly sessions: number;
  /** When replicas noticed that another one was lost, in simulated ms. */
  readonly lossesSeen: number[] = [];

  private constructor(world: MeasuredWorld, replicas: ScaleReplica[], sessions: number) {
    this.world = world;
    this.replicas = replicas;
    this.sessions = sessions;
  }

  static async start(world: MeasuredWorld, deployment: Pick<Deployment, "replicas" | "sessions">): Promise<Fleet> {
    const replicas: ScaleReplica[] = [];
    const fleet = new Fleet(world, replicas, deployment.sessions);
    for (let index = 0; index < deployment.replicas; index += 1) {
      const name = `replica-${String(index).padStart(4, "0")}.gateway:8080`;
      replicas.push(new ScaleReplica(world, name, () => fleet.lossesSeen.push(world.agenda.now)));
      await world.runFor(startEveryMs);
    }
    await world.runFor(settleMs);
    if (replicas.every(({ isReady }) => isReady)) return fleet;
    throw new Error("replicas did not start");
  }

  get alive(): readonly ScaleReplica[] {
    return this.replicas.filter(({ process }) => process.isAlive);
  }

  /** How many sessions the living replicas own. */
  get owned(): number {
    return this.alive.reduce((sum, { directory }) => sum + directory.leases, 0);
  }

  /** Which replica opened a session. */
  ownerOf(session: number): ScaleReplica {
    return this.replicas[session % this.replicas.length] as ScaleReplica;
  }

  /** Callers open all sessions, spread evenly. */
  async openSessions(): Promise<void> {
    const step = this.replicas.length;
    let open = 0;
    const openFrom = async (replica: ScaleReplica, first: number): Promise<void> => {
      for (let index = first; index < this.sessions; index += step * openAtOnce) {
        await replica.serve(sessionName(index));
        open += 1;
      }
    };
    for (const [index, replica] of this.replicas.entries()) {
      for (let lane = 0; lane < openAtOnce; lane += 1) {
        replica.process.run(() => void openFrom(replica, index + lane * step));
      }
    }
    await this.world.runUntil(() => open >= this.sessions, openLimitMs);
    if (this.owned !== this.sessions) throw new Error(`${this.owned} of ${this.sessions} sessions are open`);
  }
}
