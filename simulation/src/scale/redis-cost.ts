// What a command costs the one thread of a real Redis. The simulated Redis takes this long for each, one after another, so that a burst of
// commands waits as it would in reality. docs/scaling.md says how the constants were measured.

/** Reading a command from TCP, running it and writing the reply, in µs. */
const usPerCommand = 50;
/** A command that a script calls, in µs. */
const usPerInnerCommand = 3;
/** Memory of a key with expiry besides its name and value, in bytes. */
export const bytesPerKey = 130;

export function costUs(inner: number): number {
  return usPerCommand + usPerInnerCommand * inner;
}
