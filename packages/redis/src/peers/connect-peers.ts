// The direct connection of a replica to the others: its evidence while Redis is away, and whether it alone is cut off.
import { type KeyRing, systemClock } from "@lethe/server/stores";
import { toReachableAddress } from "../connection/host-and-port.ts";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { CutOffDetector } from "./cut-off-detector.ts";
import { createPeerEvidence, type PeerEvidence } from "./peer-evidence.ts";
import { createHttpPeerTransport } from "./peer-transport.ts";

export interface PeersOptions {
  readonly self: string;
  readonly ring: KeyRing;
  readonly connection: RedisConnection;
  readonly permitMs: number;
  readonly settings: { readonly address?: string };
  readonly listens?: { readonly host: string; readonly port: number } | undefined;
  onProblem(problem: string): void;
}

export interface Peers {
  readonly evidence: PeerEvidence;
  /** "host:port" at which other replicas reach this one. */
  readonly address?: string;
  readonly isCutOff: boolean;
  close(): void;
}

export async function connectPeers(options: PeersOptions): Promise<Peers> {
  const { self, ring, connection, permitMs, onProblem } = options;
  const transport = createHttpPeerTransport();
  const address = addressOf(options);
  const evidence = await createPeerEvidence({
    ...{ self, ring, transport, link: connection, permitMs, onProblem },
    address: () => address,
  });
  const detector = new CutOffDetector({ evidence, clock: systemClock });
  return {
    evidence,
    ...(address !== undefined && { address }),
    get isCutOff() {
      return detector.isCutOff;
    },
    close() {
      detector.close();
      evidence.close();
      transport.close();
    },
  };
}

function addressOf({ settings, listens, connection }: PeersOptions): string | undefined {
  if (settings.address !== undefined) return settings.address;
  if (!listens || listens.port === 0) return undefined;
  return toReachableAddress(listens, connection.localAddress);
}
