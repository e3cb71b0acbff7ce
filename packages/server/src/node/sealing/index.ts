// The entry point @lethe/server/sealing: how shared stores encrypt what they keep, with the keys of the deployment. It needs Node.

export { createMessageCipher, type MessageCipher, type MessageCipherOptions } from "./message-cipher.ts";
export { knownSharedKeys, ringOf, type SharedKeys } from "./shared-keys.ts";
export { createTaskCipher, type StoredText, type TaskCipher, toStoredTask } from "./task-cipher.ts";
