// The steps of a run that wait: for a response, or for their turn to be delivered to the handler.
import type { TypedInputRequest } from "./input-request.ts";
import type { JournalEntry } from "./journal.ts";

export interface Settle {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface Ask extends Settle {
  readonly inputRequest: TypedInputRequest<unknown>;
  /** The input request as canonical JSON. */
  readonly text: string;
  readonly label: string;
  readonly key: string | undefined;
  readonly occurrence: number;
}

export interface Delivery extends Settle {
  readonly entry: JournalEntry;
  readonly place: number;
  readonly value: unknown;
}
