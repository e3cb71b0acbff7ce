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
}

export interface TakenMessage {
  readonly lethe: "taken";
  readonly id: number;
  /** False: the worker stops, and another one should take it. */
  readonly isTaken: boolean;
}
