// What a worker and its parent say to each other about the addresses at which the worker takes connections.

export interface ListenAt {
  readonly host: string;
  readonly port: number;
}

export type ListenAnswer =
  /** `address` names it in messages. */
  { readonly address: string; readonly port: number } | { readonly problem: string; readonly code?: string };

/** Comes with the socket. */
export interface ConnectionMessage {
  readonly lethe: "connection";
  readonly id: number;
  readonly address: string;
  /** For one that another worker has served before: how often it moved. */
  readonly moves?: number;
  /** The worker has served it before, and takes it back even if it has too many. */
  readonly isReturned?: boolean;
}

/** Follows connections: a worker that has not got the one with this id answers that it is lost. */
export interface GivenMessage {
  readonly lethe: "given";
  readonly id: number;
  readonly address: string;
}

/** A worker answers in the order in which it was given connections. */
export interface TakenMessage {
  readonly lethe: "taken";
  readonly id: number;
  /** False: the worker stops or is full, and another one should take it. */
  readonly isTaken: boolean;
  /** The system could not pass it to the worker, which has too many open files. */
  readonly isLost?: boolean;
}

/** To the parent, with the socket of an idle connection: another worker should serve it. */
export interface MovedMessage {
  readonly lethe: "moved";
  readonly address: string;
  /** The number of that worker. */
  readonly to: number;
  readonly moves: number;
}
