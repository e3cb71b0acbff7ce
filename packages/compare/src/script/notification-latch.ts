// Waits for a notification that may come, or may have come already.

export interface NotificationLatch {
  note(): void;
  /** True as soon as something was noted; false when nothing was in that time. */
  within(ms: number): Promise<boolean>;
}

export function createNotificationLatch(): NotificationLatch {
  const { promise, resolve } = withResolvers();
  return {
    note: () => resolve(true),
    async within(ms) {
      const timer = setTimeout(resolve, ms, false);
      const isSeen = await promise;
      clearTimeout(timer);
      return isSeen;
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
