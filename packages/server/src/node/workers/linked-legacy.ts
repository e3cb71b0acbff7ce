// What workers share of older clients' sessions: states, client messages, events of streams, and POSTs of HTTP+SSE.
import {
  type ClientMessage,
  type ClientMessageRelay,
  createMemoryClientMessageRelay,
} from "../../legacy/shared/client-message-relay.ts";
import type { EventLog, Follower, StreamName } from "../../legacy/shared/event-log.ts";
import type { VersionedState } from "../../legacy/shared/known-sessions.ts";
import type { LegacyOptions } from "../../legacy/shared/legacy-options.ts";
import type { SessionState, SessionStore } from "../../legacy/shared/session-store.ts";
import { createSharedSessionStore } from "../../legacy/shared/shared-session-store.ts";
import type { RelayedPost, StreamRelay } from "../../legacy/shared/stream-relay.ts";
import { storeDefaults } from "../../replicas/store-defaults.ts";
import { routeClientMessages } from "../forwarding/route-client-messages.ts";
import type { StreamEvent } from "./event-host.ts";
import type { ParentLink } from "./parent-link.ts";

export type LinkedSessions = Required<Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store">>;

export function createLinkedSessions(link: ParentLink, space: string): LinkedSessions {
  return {
    clientMessages: createLinkedClientMessages(link, space),
    events: createLinkedEventLog(link, space),
    relay: createLinkedStreamRelay(link, space),
    store: createLinkedSessionStore(link, space),
  };
}

function createLinkedClientMessages(link: ParentLink, space: string): ClientMessageRelay {
  const here = createMemoryClientMessageRelay();
  const channel = `client ${space}`;
  const address = addressOf(link.number);
  link.listen<readonly [sessionId: string, message: ClientMessage]>(channel, (_from, sent) => here.deliver(...sent));
  const { deliver } = routeClientMessages({
    address,
    deliverHere: here.deliver,
    sendTo(asker, { sessionId, word }) {
      const number = numberOf(asker);
      if (number !== undefined) link.send(number, channel, [sessionId, word]);
    },
    sendToAll: ({ sessionId, word }) => link.broadcast(channel, [sessionId, word]),
  });
  return { address, deliver, listen: here.listen };
}

function createLinkedStreamRelay(link: ParentLink, space: string): StreamRelay {
  const channel = `posts ${space}`;
  const listeners = new Set<(post: RelayedPost) => void>();
  type Sent = { readonly post: RelayedPost; readonly id: number } | { readonly received: number };
  const sending = new Map<number, (isReceived: boolean) => void>();
  let lastId = 0;
  link.listen<Sent>(channel, (from, message) => {
    if ("received" in message) return sending.get(message.received)?.(true);
    link.send(from, channel, { received: message.id } satisfies Sent);
    for (const listener of listeners) listener(message.post);
  });
  link.onPeers((peers) => {
    const numbers = new Set(peers.map(({ number }) => number));
    for (const [id, done] of sending) if (!numbers.has(Math.floor(id / idsPerWorker))) done(false);
  });
  return {
    address: addressOf(link.number),
    send(address, post) {
      const to = numberOf(address);
      if (to === undefined || !link.peers.some(({ number }) => number === to)) return Promise.resolve(false);
      lastId = (lastId + 1) % idsPerWorker;
      const id = to * idsPerWorker + lastId;
      return new Promise((resolve) => {
        const done = (isReceived: boolean): void => {
          sending.delete(id);
          resolve(isReceived);
        };
        sending.set(id, done);
        link.send(to, channel, { post, id } satisfies Sent, { onUndelivered: () => done(false) });
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const idsPerWorker = 2 ** 30;

function createLinkedEventLog(link: ParentLink, space: string): EventLog {
  return {
    begin: (stream) => link.tell("events.begin", space, stream),
    append: (stream, seq, text) => link.tell("events.append", space, stream, seq, text),
    end: (stream) => link.tell("events.end", space, stream),
    async follow(stream: StreamName, after: number, follower: Follower) {
      const subscription = link.subscribe((event: StreamEvent) => {
        if (event !== "end") return follower.event(...event);
        subscription.stop();
        follower.end();
      });
      const stop = (): void => {
        subscription.stop();
        link.tell("events.unfollow", subscription.id);
      };
      try {
        const answer = await link.request<{ isEnded: boolean } | undefined>(
          ...(["events.follow", space, stream, after, subscription.id] as const),
        );
        if (!answer || answer.isEnded) subscription.stop();
        return answer && { isEnded: answer.isEnded, stop };
      } catch (error) {
        subscription.stop();
        throw error;
      }
    },
  };
}

function createLinkedSessionStore(link: ParentLink, space: string): SessionStore {
  const name = `sessions ${space}`;
  const { ttlMs } = storeDefaults.sessions;
  const store = createSharedSessionStore<number>({
    async read(sessionId) {
      const found = await link.request<{ text: string; version: number } | undefined>("records.read", name, sessionId);
      const state = found && { version: found.version, state: JSON.parse(found.text) as SessionState };
      return { stamp: found?.version ?? 0, found: state };
    },
    write: (sessionId, state, { stamp: expected }) =>
      link.request("records.write", name, sessionId, JSON.stringify(state), { expected, ttlMs }),
    delete: (sessionId) => link.request("records.delete", name, sessionId),
    announce: async (sessionId, state) => link.broadcast(name, [sessionId, state]),
  });
  link.listen<[sessionId: string, state: VersionedState]>(name, (_from, [sessionId, state]) => {
    if (store.isOfInterest(sessionId)) store.learn(sessionId, state);
  });
  return store;
}

function addressOf(number: number): string {
  return `w${number}`;
}

/** The worker with this address. Undefined if it is not that of a worker. */
function numberOf(address: string): number | undefined {
  const [, digits] = /^w(\d{1,9})$/.exec(address) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
