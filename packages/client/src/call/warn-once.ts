// Reports only the first of many faults of a peer, so that a peer that sends nothing but wrong messages cannot fill a log.

export function warnOnce(onWarning: (message: string) => void): (message: string) => void {
  let hasWarned = false;
  return (message) => {
    if (!hasWarned) onWarning(message);
    hasWarned = true;
  };
}
