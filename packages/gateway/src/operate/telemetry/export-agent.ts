// The connections to the collector, which end with the gateway even if the collector does not answer.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";

type CreateConnection = HttpAgent["createConnection"];

export class ExportAgents {
  readonly #agents: HttpAgent[] = [];
  #isClosed = false;

  /** For the exporters, which name a protocol such as "https:". */
  readonly create = (protocol: string): HttpAgent => {
    const agent = protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    const connect: CreateConnection = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      if (!this.#isClosed) return connect(options, callback);
      // Node's agent accepts an error in place of the socket, which its types do not say.
      process.nextTick(() => (callback as (error: Error) => void)(over()));
      return undefined;
    };
    this.#agents.push(agent);
    return agent;
  };

  /** Breaks off running exports. They are not repeated: the exporters repeat only what failed in the network. */
  close(): void {
    this.#isClosed = true;
    for (const agent of this.#agents) {
      for (const sockets of Object.values(agent.sockets)) for (const socket of sockets ?? []) socket.destroy(over());
      agent.destroy();
    }
  }
}

function over(): Error {
  return new Error("the gateway stops");
}
