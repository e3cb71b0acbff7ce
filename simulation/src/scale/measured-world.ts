// The world of one deployment: no faults by chance, and everything that passes through the network is counted.
import { World } from "../world/world.ts";
import { MeasuredRedis } from "./measured-redis.ts";
import { Traffic } from "./traffic.ts";

export class MeasuredWorld extends World {
  readonly traffic: Traffic;
  override readonly redis: MeasuredRedis;

  constructor(seed: number) {
    super(seed);
    const { agenda, random } = this;
    this.traffic = new Traffic(() => agenda.now);
    this.redis = new MeasuredRedis({ agenda, random, traffic: this.traffic });
  }

  /** Runs until `isOver`, at most `ms`. Returns how long it took, or undefined when it is not over. */
  async runUntil(isOver: () => boolean, ms: number, stepMs = 10): Promise<number | undefined> {
    const { agenda } = this;
    const startedAt = agenda.now;
    while (!isOver()) {
      if (agenda.now - startedAt >= ms) return undefined;
      await agenda.run(agenda.now + stepMs);
    }
    return agenda.now - startedAt;
  }

  async runFor(ms: number): Promise<void> {
    await this.agenda.run(this.agenda.now + ms);
  }
}
