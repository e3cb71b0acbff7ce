// Sends the questions of replicas to each other's HTTP listeners. A question is one small header, so that the listener can answer
// it without reading a body.
import { Agent, type IncomingMessage, request } from "node:http";
import { parseHostAndPort } from "../connection/host-and-port.ts";

/** The path of a gateway's main listener at which it answers other replicas. */
export const peerPath = "/.well-known/lethe-replica";
/** The header that contains a sealed question. */
export const peerHeader = "lethe-replica";

export interface PeerTransport {
  /**
   * Sends a sealed question to `address` ("host:port") and resolves with the body of its answer. Rejects with an Error when no
   * answer arrives within a short time; its `code` is "ECONNREFUSED" when the machine says that no process listens there.
   */
  ask(address: string, question: string): Promise<string>;
}

export interface HttpPeerTransport extends PeerTransport {
  /** Closes all connections. */
  close(): void;
}

export interface HttpPeerTransportOptions {
  /** How long an exchange may take, in ms. Default 300. */
  readonly timeoutMs?: number;
}

/** The size of an answer, in bytes. */
const maxAnswerBytes = 4_096;
/** Connections to all replicas together. */
const maxSockets = 256;

export function createHttpPeerTransport({ timeoutMs = 300 }: HttpPeerTransportOptions = {}): HttpPeerTransport {
  const agent = new Agent({ keepAlive: true, maxTotalSockets: maxSockets });
  return {
    ask: (address, question) => exchange(agent, address, question, timeoutMs),
    close: () => agent.destroy(),
  };
}

function exchange(agent: Agent, address: string, question: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const target = parseHostAndPort(address);
    if (!target) return reject(new Error("host:port expected as the address of a replica"));
    const headers = { [peerHeader]: question, "content-length": 0 };
    const sent = request({ ...target, agent, method: "POST", path: peerPath, headers });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", reject);
    sent.on("response", (response) => readAnswer(response).then(resolve, reject));
    sent.end();
  });
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const { statusCode } = response;
  let text = "";
  for await (const piece of response.setEncoding("latin1")) {
    text += piece as string;
    if (text.length > maxAnswerBytes) throw new Error(`at most ${maxAnswerBytes} bytes expected`);
  }
  if (statusCode !== 200) throw new Error(`status 200 expected, got ${statusCode}`);
  return text;
}
