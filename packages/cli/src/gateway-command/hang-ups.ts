// SIGHUP reloads the configuration of a gateway. Without a listener it would end the process, so one listens before the gateway can reload.

export interface HangUps {
  /** Calls `reload` for each SIGHUP from now on, and at once if one has arrived already. */
  reloadBy(reload: () => void): void;
  close(): void;
}

/** Receives SIGHUP from now on. */
export function receiveHangUps(): HangUps {
  let isPending = false;
  let reload = (): void => {
    isPending = true;
  };
  const onHangUp = (): void => reload();
  process.on("SIGHUP", onHangUp);
  return {
    reloadBy(next) {
      reload = next;
      if (isPending) next();
    },
    close: () => void process.off("SIGHUP", onHangUp),
  };
}
