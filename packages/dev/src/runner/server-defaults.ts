// What `createServer` gets in addition: state that outlives this process is kept by the command, and errors are shown by it.
import type { ServerOptions } from "@lethe/server";
import type { Claim, SingleUseStore } from "@lethe/server/stores";
import type { Channel } from "../channel/channel.ts";
import type { HandlerError } from "../channel/runner-messages.ts";
import { toWireError } from "../channel/wire-error.ts";

export function withServerDefaults(options: ServerOptions, channel: Channel): ServerOptions {
  return {
    singleUse: createRemoteSingleUse(channel),
    onError: (error, { errorId, method, name }) => {
      channel.tell("handlerError", { error: toWireError(error), errorId, method, name } satisfies HandlerError);
    },
    ...options,
  };
}

/** A round that ran before a reload is not accepted again after it. */
function createRemoteSingleUse(channel: Channel): SingleUseStore {
  return {
    claim: (round) => channel.ask<Claim>("claim", round),
    settle: (round, answer) => channel.tell("settle", { round, answer }),
    release: (round) => channel.tell("release", round),
  };
}
