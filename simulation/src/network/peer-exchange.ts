// The direct exchanges of replicas: each is a connection of its own, so two exchanges may overtake each other.
import type { Agenda } from "../world/agenda.ts";
import type { SimulatedProcess } from "../world/simulated-process.ts";
import type { Path } from "./path.ts";

/** A process that listens at an address. */
export interface Listener {
  readonly process: SimulatedProcess;
  /** Undefined: the text was not meant for this process. */
  answer(question: string): string | undefined;
}

export interface PeerNetwork {
  readonly agenda: Agenda;
  listenerAt(address: string): Listener | undefined;
  path(from: string, to: string): Path;
}

export interface Asking {
  readonly process: SimulatedProcess;
  readonly address: string;
  readonly timeoutMs: number;
}

/** Behaves like the HTTP transport between replicas. */
export function ask(network: PeerNetwork, from: Asking, to: string, question: string): Promise<string> {
  const { agenda } = network;
  const { process, address, timeoutMs } = from;
  return new Promise((resolve, reject) => {
    const cancel = process.clock.after(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));

    function carry(path: Path, arrive: () => void): void {
      agenda.after(path.drawDelay(), () => {
        // TCP sends it again when the path works, which may be too late.
        if (path.isCut) path.onceRestored(() => carry(path, arrive));
        else arrive();
      });
    }
    function respond(outcome: () => void): void {
      const settle = (): void => {
        cancel();
        outcome();
      };
      carry(network.path(to, address), () => process.deliver(settle));
    }
    carry(network.path(address, to), () => {
      const listener = network.listenerAt(to);
      if (!listener?.process.isAlive) {
        const refusal = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        return respond(() => reject(refusal));
      }
      listener.process.deliver(() => {
        const answer = listener.answer(question);
        respond(() => (answer === undefined ? reject(new Error("status 404")) : resolve(answer)));
      });
    });
  });
}
