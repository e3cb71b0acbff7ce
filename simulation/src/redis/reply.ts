// The replies of Redis commands.

/** An object with `ok` is a status. Errors are thrown as ReplyError. */
export type Reply = string | number | null | { readonly ok: string } | readonly Reply[];

export const okReply: Reply = { ok: "OK" };

/** Redis rejected a command. Its name is that of the errors of ioredis. */
export class ReplyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ReplyError";
  }
}

export const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";
export const notInteger = "ERR value is not an integer or out of range";
export const syntaxError = "ERR syntax error";
export const outOfMemory = "OOM command not allowed when used memory > 'maxmemory'.";
