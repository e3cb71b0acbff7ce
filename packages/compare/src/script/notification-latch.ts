// Waits for a notification that may arrive later, or may have arrived already.

export interface NotificationLatch {
  open(): void;
  /** Resolves with true once the latch is open, or with false after `ms` milliseconds. */
  waitMs(ms: number): Promise<boolean>;
}

export function createNotificationLatch(): NotificationLatch {
  const { promise, resolve } = withResolvers();
  return {
    open: () => resolve(true),
    async waitMs(ms) {
      const timer = setTimeout(resolve, ms, false);
      const isOpen = await promise;
      clearTimeout(timer);
      return isOpen;
    },
  };
}

function withResolvers(): { promise: Promise<boolean>; resolve: (value: boolean) => void } {
  let resolve: (value: boolean) => void = () => {};
  const promise = new Promise<boolean>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
