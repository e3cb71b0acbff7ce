// What `createServer` gets in addition: errors are shown by the command.
import type { ServerOptions } from "@lethe/server";
import type { Channel } from "../channel/channel.ts";
import type { HandlerError } from "../channel/runner-messages.ts";
import { toWireError } from "../channel/wire-error.ts";

export function withServerDefaults(options: ServerOptions, channel: Channel): ServerOptions {
  return {
    onError: (error, { errorId, method, name }) => {
      channel.tell("handlerError", { error: toWireError(error), errorId, method, name } satisfies HandlerError);
    },
    ...options,
  };
}
