// Calls whose server waits for an answer that the caller has yet to bring. Each is named by an unguessable token, works
// once, and gives way after a while: nobody promises that a retry ever comes (E-29).
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";

export interface ParkingOptions<T> {
  /** Default 100. */
  maxParked?: number;
  /** How long a call waits for its caller, in milliseconds. Default 10 minutes. */
  ttlMs?: number;
  onExpired(parked: T): void;
}

export interface Parking<T> {
  /** The token, or undefined when there is no room. */
  park(item: T): string | undefined;
  /** What a token names; it stays parked. */
  find(token: string): T | undefined;
  release(token: string): void;
  /** Forgets everything, without `onExpired`. */
  close(): void;
}

interface Place<T> {
  readonly item: T;
  readonly expiresAt: number;
}

export function createParking<T>(options: ParkingOptions<T>): Parking<T> {
  const { maxParked = 100, ttlMs = 600_000, onExpired } = options;
  // One time to live for all: the order of insertion is the order of expiry.
  const places = new Map<string, Place<T>>();
  let timer: BackgroundTimer | undefined;

  function arm(): void {
    const oldest = places.values().next().value;
    if (oldest && !timer) timer = startBackgroundTimer(sweep, Math.max(0, oldest.expiresAt - performance.now()));
  }

  function sweep(): void {
    timer = undefined;
    const now = performance.now();
    for (const [token, { item, expiresAt }] of places) {
      if (expiresAt > now) break;
      places.delete(token);
      onExpired(item);
    }
    arm();
  }

  return {
    park(item) {
      if (places.size >= maxParked) return undefined;
      const token = crypto.randomUUID();
      places.set(token, { item, expiresAt: performance.now() + ttlMs });
      arm();
      return token;
    },
    find: (token) => places.get(token)?.item,
    release: (token) => void places.delete(token),
    close() {
      clearTimeout(timer);
      timer = undefined;
      places.clear();
    },
  };
}
