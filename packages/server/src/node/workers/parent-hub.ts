// The parent's side of its workers: answers their requests to the stores, passes their messages on, and tells them of each other. The
// body of a message is passed on unread, so that the parent does no work for requests.
import type { Duplex } from "node:stream";
import { toCarriedError } from "../../replicas/carried-error.ts";
import type { Acceptor } from "./acceptor.ts";
import { type Frame, frameKind } from "./frames.ts";
import type { ListenAt } from "./listening.ts";
import { type ControlMessage, parseJson, toJsonBody } from "./messages.ts";
import type { PairedWorkers } from "./pair-workers.ts";
import { Pipe } from "./pipe.ts";
import type { StoreHost } from "./store-host.ts";
import type { UndeliveredReason, WorkerPeer, WorkerStatus } from "./worker-peer.ts";

/** The id of requests that want no answer. */
const noAnswer = 0;

export interface ParentHubOptions {
  readonly stores: StoreHost;
  /** Listens for the workers. Default: they do not listen. */
  readonly acceptor?: Pick<Acceptor, "listen" | "stop">;
  /** Connects workers by pipes. Default: they forward requests through their parent. */
  readonly pairs?: Pick<PairedWorkers, "ready">;
  /** A worker whose pipe is closed, or that does not read from it. Its process must end before `left` is called. */
  onCut(number: number, reason: string): void;
  onControl(number: number, message: ControlMessage): void;
}

interface Member {
  readonly number: number;
  readonly id: string;
  readonly pipe: Pipe;
  isListening: boolean;
  isLeaving: boolean;
  status: WorkerStatus;
  /** Whether it has answered the last ping. */
  isAlive: boolean;
  /** Whether it has sent anything yet. Until then it loads its program, and answers nothing. */
  hasBegun: boolean;
}

export class ParentHub {
  readonly #options: ParentHubOptions;
  readonly #members = new Map<number, Member>();

  constructor(options: ParentHubOptions) {
    this.#options = options;
  }

  get peers(): readonly WorkerPeer[] {
    return [...this.#members.values()].map(({ number, id, isListening, isLeaving, status }) => {
      return { number, id, isListening, isLeaving, status };
    });
  }

  /** A worker has started, and sends and receives over this stream. */
  join({ number, id, stream }: { number: number; id: string; stream: Duplex }): void {
    const pipe = new Pipe(stream, {
      onFrame: (frame) => this.#receive(member, frame),
      onClose: (reason) => this.#options.onCut(number, reason),
    });
    const status = { isReady: false, state: "starting", connections: 0 };
    const before = { isListening: false, isLeaving: false, status, isAlive: true, hasBegun: false };
    const member: Member = { number, id, pipe, ...before };
    this.#members.set(number, member);
    this.#tellPeers();
  }

  /** The process of this worker has ended. Others may have what it owned. */
  left(number: number): void {
    const member = this.#members.get(number);
    if (!member) return;
    this.#members.delete(number);
    member.pipe.close("its process has ended");
    this.#options.stores.workerEnded(member);
    this.#tellPeers();
  }

  send(number: number, message: ControlMessage): void {
    this.#members.get(number)?.pipe.send({ kind: frameKind.control, body: toJsonBody(message) });
  }

  /** Returns the workers that have not answered the ping before, with whether they ever sent anything, and sends the next. */
  ping(): ReadonlyMap<number, { readonly hasBegun: boolean }> {
    const silent = new Map<number, { readonly hasBegun: boolean }>();
    for (const member of this.#members.values()) {
      if (!member.isAlive) silent.set(member.number, member);
      member.isAlive = false;
      member.pipe.send({ kind: frameKind.ping });
    }
    return silent;
  }

  #receive(member: Member, frame: Frame): void {
    member.isAlive = true;
    member.hasBegun = true;
    switch (frame.kind) {
      case frameKind.request:
        void this.#answer(member, frame);
        break;
      case frameKind.message:
      case frameKind.refusableMessage:
        this.#passOn(member, frame);
        break;
      case frameKind.control:
        this.#control(member, parseJson(frame.body) as ControlMessage);
    }
  }

  #control(member: Member, message: ControlMessage): void {
    if (message.kind === "status") {
      member.status = message.status;
      this.#tellPeers();
    } else if (message.kind === "started") {
      member.isListening = true;
      this.#tellPeers();
    } else if (message.kind === "leaving") {
      member.isLeaving = true;
      this.#options.stores.workerLeaves(member);
      this.#tellPeers();
    }
    this.#options.onControl(member.number, message);
  }

  async #answer(member: Member, { id, body }: Frame): Promise<void> {
    const { number, id: worker, pipe } = member;
    const onEvent = (subscription: number, event: unknown) =>
      pipe.send({ kind: frameKind.event, id: subscription, body: toJsonBody(event) });
    try {
      const [operation, ...given] = parseJson(body) as [string, ...unknown[]];
      const { stores, acceptor, pairs } = this.#options;
      if (operation === "pair") return await pairs?.ready(number);
      if (operation === "unlisten") {
        acceptor?.stop(number, given[0] as string);
        member.isListening = false;
        return this.#tellPeers();
      }
      const answering =
        operation === "listen"
          ? acceptor?.listen(number, given[0] as ListenAt)
          : stores.run({ number, id: worker, onEvent }, operation, given);
      // Most answers are there at once, and keep the order of the requests.
      const answer = answering instanceof Promise ? await answering : answering;
      if (id !== noAnswer) pipe.send({ kind: frameKind.answer, id, body: toJsonBody(answer) });
    } catch (error) {
      if (id !== noAnswer) pipe.send({ kind: frameKind.failure, id, body: toJsonBody(toCarriedError(error)) });
    }
  }

  #passOn(from: Member, { kind, peer, id, body }: Frame): void {
    if (peer === 0) {
      for (const member of this.#members.values()) {
        if (member !== from) member.pipe.send({ kind: frameKind.message, peer: from.number, body });
      }
      return;
    }
    const to = this.#members.get(peer);
    if (!to) this.#refuse(from, { id, peer }, "gone");
    else if (kind === frameKind.refusableMessage && to.pipe.isFull) this.#refuse(from, { id, peer }, "busy");
    else to.pipe.send({ kind: frameKind.message, peer: from.number, id, body });
  }

  #refuse({ pipe }: Member, message: Pick<Frame, "id" | "peer">, reason: UndeliveredReason): void {
    pipe.send({ kind: frameKind.undelivered, ...message, body: toJsonBody(reason) });
  }

  #tellPeers(): void {
    const body = toJsonBody(this.peers);
    for (const { pipe } of this.#members.values()) pipe.send({ kind: frameKind.peers, body });
  }
}
