// What workers share of older clients' sessions: states, client messages, events of streams, and POSTs of HTTP+SSE.
import {
  type ClientMessage,
  type ClientMessageRelay,
  createMemoryClientMessageRelay,
} from "../../legacy/shared/client-message-relay.ts";
import type { EventLog, Follower, StreamName } from "../../legacy/shared/event-log.ts";
import { createKnownSessions, type VersionedState } from "../../legacy/shared/known-sessions.ts";
import type { LegacyOptions } from "../../legacy/shared/legacy-options.ts";
import type { SessionState, SessionStore } from "../../legacy/shared/session-store.ts";
import type { RelayedPost, StreamRelay } from "../../legacy/shared/stream-relay.ts";
import { storeDefaults } from "../../replicas/store-defaults.ts";
import { routeClientMessages } from "../forwarding/route-client-messages.ts";
import type { StreamEvent } from "./event-host.ts";
import type { ParentLink } from "./parent-link.ts";

export type LinkedSessions = Required<Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store">>;

/** A process reads a cached state again after this time, in ms: it may have missed a change. */
const maxAgeMs = 10_000;
/** An attempt fails only if another worker changed the session meanwhile. */
const maxAttempts = 50;

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

/** Requests rarely wait for the parent: a process reads a session once, and receives its changes. */
function createLinkedSessionStore(link: ParentLink, space: string): SessionStore {
  const known = createKnownSessions({});
  const channel = `sessions ${space}`;
  const records = `sessions ${space}`;
  link.listen<[sessionId: string, state: VersionedState]>(channel, (_from, [sessionId, state]) => {
    if (known.isOfInterest(sessionId)) known.learn(sessionId, state);
  });

  /** The state may be newer than that of the parent, which keeps a limited number. */
  async function load(
    sessionId: string,
  ): Promise<{ readonly expected: number; readonly state?: SessionState | undefined }> {
    const found = await link.request<{ text: string; version: number } | undefined>("records.read", records, sessionId);
    const state = found && (JSON.parse(found.text) as SessionState);
    const expected = found?.version ?? 0;
    return { expected, state: known.learn(sessionId, { version: expected, ...(state && { state }) }).state };
  }

  async function change(sessionId: string, by: (state: SessionState) => SessionState): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { expected, state: before = {} } = await load(sessionId);
      const state = by(before);
      const options = { expected, ttlMs: storeDefaults.sessions.ttlMs };
      const text = JSON.stringify(state);
      const version = await link.request<number | undefined>("records.write", records, sessionId, text, options);
      if (version === undefined) continue;
      known.learn(sessionId, { version, state });
      link.broadcast(channel, [sessionId, { version, state }]);
      return;
    }
    throw new Error(`a session was changed concurrently ${maxAttempts} times`);
  }

  return {
    get(sessionId) {
      const at = known.get(sessionId);
      if (at && Date.now() - at.learnedAt < maxAgeMs) return at.state;
      return load(sessionId).then(
        ({ state }) => state,
        () => at?.state,
      );
    },
    update: change,
    async forget(sessionId) {
      known.forget(sessionId);
      await link.request("records.delete", records, sessionId).catch(() => {});
    },
    watch: known.watch,
  };
}

function addressOf(number: number): string {
  return `w${number}`;
}

/** The worker with this address. Undefined if it is not that of a worker. */
function numberOf(address: string): number | undefined {
  const [, digits] = /^w(\d{1,9})$/.exec(address) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
