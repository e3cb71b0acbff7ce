// What the commands of a replica are for. Scripts are known by their text or digest, messages by their channel.
import { createHash } from "node:crypto";
import {
  abandonText,
  acquireText,
  holdText,
  releaseText,
  renewText,
} from "../../../packages/redis/src/replicas/lease-scripts.ts";
import {
  leaveText,
  listText,
  revokeText,
  suspectText,
} from "../../../packages/redis/src/replicas/membership-scripts.ts";

const scripts = {
  acquire: acquireText,
  record: holdText,
  release: releaseText,
  abandon: abandonText,
  heartbeat: renewText,
  list: listText,
  leave: leaveText,
  suspect: suspectText,
  revoke: revokeText,
};

const names = new Map(
  Object.entries(scripts).flatMap(([name, text]) => [
    [text, name],
    [createHash("sha1").update(text).digest("hex"), name],
  ]),
);

/** Channels on which replicas send messages to each other. */
function isReplicaChannel(channel: string): boolean {
  return channel.startsWith("lethe:replica:");
}

/** A script by its purpose, such as "heartbeat"; another command by its own name, and PUBLISH by what it carries. */
export function purposeOf([command = "", first = ""]: readonly string[]): string {
  const name = command.toUpperCase();
  if (name === "EVALSHA" || name === "EVAL") return names.get(first) ?? "unknown script";
  if (name === "PUBLISH") return isReplicaChannel(first) ? "message" : "connection check";
  if (name === "PUBSUB") return "subscribers";
  return name;
}
