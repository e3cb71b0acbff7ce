// Replicas of a gateway in one process that share their owners of sessions and their notes, each with one stateful upstream.
import { PendingCalls } from "@lethe/client/edge";
import { type Dispatch, type ModernRequest, method, type Result } from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing, type Directory } from "@lethe/server/stores";
import { CallForwarder } from "../calls/call-forwarder.ts";
import { createRequestStateSeal } from "../calls/request-state.ts";
import { RoomExchange } from "../upstreams/directory/room-exchange.ts";
import { roomsOf } from "../upstreams/sessions/session-room.ts";
import { createFakeConnection, createFakeExchange, createFakeSessions, type FakeUpstream, requestOf } from "./fakes.ts";
import { noCallTasks } from "./no-tasks.ts";

export interface ReplicaWithRoom {
  readonly rooms: RoomExchange;
  /** The callers of the requests that its upstream received. */
  readonly served: string[];
  /** The requests that others forwarded to it. */
  readonly received: ModernRequest[];
  /** The callers whose sessions it has. */
  readonly callers: () => string[];
  readonly directory: Directory;
  /** Sends a call as a caller that this replica receives. */
  send(caller: string): Promise<Result>;
  close(): Promise<void>;
}

export interface ReplicasWithRoom {
  /** The owners of sessions, by their names in the directory. */
  readonly owners: Map<string, string>;
  /** Makes the shared state unreachable for notes and questions about owners. */
  isAway: boolean;
  add(self: string, upstream?: FakeUpstream): ReplicaWithRoom;
  /** All replicas tell each other their room. */
  exchange(): Promise<void>;
  close(): Promise<void>;
}

export function createReplicasWithRoom(): ReplicasWithRoom {
  const ring = createKeyRing();
  const peers = new Map<string, Dispatch>();
  const notes = new Map<string, string>();
  const all: ReplicaWithRoom[] = [];
  const fleet: ReplicasWithRoom = {
    owners: new Map<string, string>(),
    isAway: false,
    add(self, upstream = {}) {
      const directory = createDirectory(self);
      const rooms = new RoomExchange({
        ...{ placement: directory.placement as NonNullable<Directory["placement"]>, self, random: () => 0 },
        read: () => roomsOf([sessions]),
      });
      const served: string[] = [];
      const dispatch: Dispatch = async (_, { caller }) => {
        served.push(caller?.id ?? "");
        return { resultType: "complete", content: [{ type: "text", text: self }] };
      };
      const { sessions } = createFakeSessions(
        { affinity: "caller", start: "demand", directory, rooms, ...upstream },
        () => createFakeConnection({ dispatch }),
      );
      const forwarder = new CallForwarder({
        ...{ directory, pendingCalls: new PendingCalls(), path: "/mcp", tasks: noCallTasks },
        seal: createRequestStateSeal(createSeal(ring, { server: "g" })),
      });
      const received: ModernRequest[] = [];
      peers.set(self, (request, exchange) => {
        received.push(request);
        // As between processes.
        const own = { ...(JSON.parse(JSON.stringify(request)) as ModernRequest), isForwarded: true };
        return forwarder.forward({ sessions }, own, { ...exchange, isForwarded: true });
      });
      const replica: ReplicaWithRoom = {
        ...{ rooms, served, received, directory },
        callers: () => [...sessions.sessions].flatMap(({ key: { callerId } }) => callerId ?? []),
        send: (caller) =>
          forwarder.forward({ sessions }, requestOf(method.callTool, { name: "t" }), createFakeExchange(caller)),
        async close() {
          rooms.close();
          peers.delete(self);
          await sessions.close();
        },
      };
      all.push(replica);
      return replica;
    },
    async exchange() {
      // The second time, each reads what the others recorded the first time.
      for (const _ of [1, 2]) for (const { rooms } of all) await rooms.exchange();
    },
    async close() {
      for (const replica of all) await replica.close();
    },
  };
  const reached = (): void => {
    if (fleet.isAway) throw new Error("the shared state is away");
  };
  function createDirectory(self: string): Directory {
    const { owners } = fleet;
    return {
      self,
      async acquire(key) {
        const owner = owners.get(key) ?? self;
        owners.set(key, owner);
        return { owner };
      },
      holds: (key) => owners.get(key) === self,
      release: (key) => void (owners.get(key) === self && owners.delete(key)),
      reach: (replica) => peers.get(replica),
      placement: {
        async exchange(note) {
          reached();
          notes.set(self, note);
          return new Map([...notes].filter(([replica]) => replica !== self));
        },
        async isOwned(key) {
          reached();
          return owners.has(key);
        },
      },
    };
  }
  return fleet;
}
