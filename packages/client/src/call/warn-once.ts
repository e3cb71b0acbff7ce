// Reports the first of many faults of a peer: one that sends nothing but wrong messages must not fill a log.

export function warnOnce(onWarning: (message: string) => void): (message: string) => void {
  let hasWarned = false;
  return (message) => {
    if (!hasWarned) onWarning(message);
    hasWarned = true;
  };
}
