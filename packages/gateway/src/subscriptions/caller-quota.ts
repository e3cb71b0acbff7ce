// Limits an amount per caller. Requests without a caller id may come from many callers, so they are not limited.

export interface CallerQuota {
  /** Takes the whole amount, or returns false and takes nothing. */
  take(callerId: string | undefined, amount: number): boolean;
  giveBack(callerId: string | undefined, amount: number): void;
  /** The amount of the caller that has taken most. */
  readonly fullest: number;
}

export function createCallerQuota(max: number): CallerQuota {
  const byCaller = new Map<string, number>();
  return {
    get fullest() {
      let most = 0;
      for (const amount of byCaller.values()) most = Math.max(most, amount);
      return most;
    },
    take(callerId, amount) {
      if (callerId === undefined) return true;
      const sum = (byCaller.get(callerId) ?? 0) + amount;
      if (sum > max) return false;
      byCaller.set(callerId, sum);
      return true;
    },
    giveBack(callerId, amount) {
      if (callerId === undefined) return;
      const left = (byCaller.get(callerId) ?? 0) - amount;
      if (left > 0) byCaller.set(callerId, left);
      else byCaller.delete(callerId);
    },
  };
}
