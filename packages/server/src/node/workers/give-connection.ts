// Gives an idle connection of this worker to another one, through their parent. Its descriptor is sent as it is: what the client sends
// meanwhile waits in the kernel for the other worker.
import { Socket } from "node:net";
import type { GiveConnection } from "./connection-moves.ts";
import type { MovedMessage } from "./listening.ts";
import type { ParentLink } from "./parent-link.ts";
import { stopReading } from "./stop-reading.ts";

/** `address` is that of the listener of the connections. */
export function createGiveConnection(link: ParentLink, address: string): GiveConnection {
  let isSending = false;
  return (socket, to, moves) => {
    // One at a time, so that few wait for the parent.
    if (isSending || !process.connected || !(socket instanceof Socket) || "encrypted" in socket) return false;
    const owner = link.peers.find(({ number }) => number === to);
    if (!owner?.status.isReady || owner.isLeaving || !stopReading(socket)) return false;
    isSending = true;
    // Node would count the connection as one that the server has accepted.
    (socket as { server?: unknown }).server = undefined;
    const message: MovedMessage = { lethe: "moved", address, to, moves };
    // Node takes the descriptor and the HTTP parser from the socket, which then emits no event by itself.
    process.send?.(message, socket, {}, () => {
      isSending = false;
      socket.destroy();
    });
    return true;
  };
}
