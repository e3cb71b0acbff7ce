// All commands of the simulated Redis by name.
import { type Reply, ReplyError } from "../reply.ts";
import { type Command, type CommandContext, reading } from "./command.ts";
import { hashCommands } from "./hashes.ts";
import { keyCommands } from "./keys.ts";
import { listCommands } from "./lists.ts";
import { setCommands } from "./sets.ts";
import { sortedSetCommands } from "./sorted-sets.ts";
import { stringCommands } from "./strings.ts";

function pubsub({ subscribers }: CommandContext, [kind = "", ...channels]: readonly string[]): Reply {
  if (kind.toUpperCase() !== "NUMSUB") throw new ReplyError(`ERR unknown subcommand '${kind}'. Try PUBSUB HELP.`);
  return channels.flatMap((channel) => [channel, subscribers(channel)]);
}

const serverCommands: Record<string, Command> = {
  PING: reading(0, () => ({ ok: "PONG" })),
  ECHO: reading(1, (_, [text = ""]) => text),
  TIME: reading(0, ({ now }) => {
    const micros = Math.floor(now() * 1_000);
    return [String(Math.floor(micros / 1_000_000)), String(micros % 1_000_000)];
  }),
  PUBLISH: reading(2, ({ publish }, [channel = "", text = ""]) => publish(channel, text)),
  PUBSUB: reading(1, pubsub),
};

const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...{ ...keyCommands, ...stringCommands, ...hashCommands, ...setCommands },
    ...{ ...sortedSetCommands, ...listCommands, ...serverCommands },
  }),
);

/** Throws ReplyError. */
export function findCommand(name: string, argCount: number): Command {
  const command = commands.get(name.toUpperCase());
  if (!command) throw new ReplyError(`ERR unknown command '${name}'`);
  if (argCount < command.least) {
    throw new ReplyError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
  }
  return command;
}
