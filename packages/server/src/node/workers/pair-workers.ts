// Connects each two workers by a pipe of their own, over which they forward requests to each other without their parent.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopReading } from "./stop-reading.ts";

/** To a worker, with its end of the pipe. */
export interface PairedMessage {
  readonly lethe: "paired";
  /** The number of the other worker. */
  readonly worker: number;
}

interface Paired {
  readonly number: number;
  readonly process: Pick<ChildProcess, "send">;
  /** Ends that it has not got yet. */
  readonly sending: Set<Socket>;
}

export class PairedWorkers {
  readonly #joined = new Map<number, Paired>();
  readonly #ready = new Set<Paired>();

  join(number: number, process: Paired["process"]): void {
    this.#joined.set(number, { number, process, sending: new Set() });
  }

  /** This worker can take its ends of pipes. It gets one to each other worker that can. Two that get none use their parent. */
  async ready(number: number): Promise<void> {
    const worker = this.#joined.get(number);
    if (!worker || this.#ready.has(worker)) return;
    const others = [...this.#ready];
    this.#ready.add(worker);
    await Promise.all(others.map((other) => this.#pair(worker, other)));
  }

  left(number: number): void {
    const worker = this.#joined.get(number);
    if (!worker) return;
    this.#joined.delete(number);
    this.#ready.delete(worker);
    for (const end of worker.sending) end.destroy();
  }

  async #pair(one: Paired, other: Paired): Promise<void> {
    const ends = await createSocketPair();
    if (!ends) return;
    this.#give(one, other, ends[0]);
    this.#give(other, one, ends[1]);
  }

  #give({ process, sending }: Paired, { number: worker }: Paired, end: Socket): void {
    sending.add(end);
    // A failure means that the worker has ended.
    process.send({ lethe: "paired", worker } satisfies PairedMessage, end, {}, () => {
      sending.delete(end);
      end.destroy();
    });
  }
}

/**
 * Two connected sockets that this process does not read. Node has no call for it, so one connects to the other in a folder that only this
 * user may enter. Returns undefined on Windows, which cannot pass them to other processes, and where no such folder can be made.
 */
export async function createSocketPair(): Promise<readonly [Socket, Socket] | undefined> {
  if (process.platform === "win32") return undefined;
  let folder: string | undefined;
  const server = createServer({ pauseOnConnect: true });
  try {
    folder = await mkdtemp(join(tmpdir(), "lethe-pair-"));
    const path = join(folder, "pipe");
    await once(server.listen(path), "listening");
    const one = connect({ path }).pause();
    const [[other]] = (await Promise.all([once(server, "connection"), once(one, "connect")])) as [[Socket], unknown[]];
    for (const end of [one, other]) {
      end.on("error", () => {});
      stopReading(end);
    }
    return [one, other];
  } catch {
    return undefined;
  } finally {
    server.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
