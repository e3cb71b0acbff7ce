// The entry point @lethe/server/forwarding: how replicas of a gateway forward requests to each other, over the messages of a shared store.
// It is for @lethe/redis and @lethe/postgres, and needs Node. It also has what else both do alike with the messages of their store.

export { type BusChannels, createSealedBus, type SealedBusOptions } from "../sealing/sealed-bus.ts";
export { type Carrier, DirectClosedError, NotSentError } from "./carrier.ts";
export { type FollowedReads, followReads } from "./follow-reads.ts";
export { FormerOwners } from "./former-owners.ts";
export { type Heartbeat, type HeartbeatOptions, startHeartbeat } from "./heartbeat.ts";
export { createKeyFingerprints, type KeyFingerprints } from "./key-fingerprints.ts";
export { ListDelay } from "./list-delay.ts";
export { type FromOwner, isFromOwner, isToOwner, type Message, type ToOwner } from "./message.ts";
export { ReceivedCalls } from "./received-calls.ts";
export { ReceivedNumbers } from "./received-numbers.ts";
export { RecentOwners } from "./recent-owners.ts";
export { retryUntilAcknowledged } from "./retry-until-acknowledged.ts";
export {
  type ClientMessageRoutes,
  type RoutedClientMessages,
  routeClientMessages,
  type SentClientMessage,
} from "./route-client-messages.ts";
export { requireSameKeys, SameKeys } from "./same-keys.ts";
export { sendRepeatable } from "./send-repeatable.ts";
export { SentCalls } from "./sent-calls.ts";
export { settleWithin } from "./settle-within.ts";
export { withDeadline } from "./with-deadline.ts";
