// The part of an extension that sending its notifications needs.
import type { ExtensionDeclaration } from "@lethe/protocol";

export interface NotifyingExtension<Notifications extends object> extends ExtensionDeclaration<Notifications> {
  /** The names of the notifications that the server sends. Default: none. */
  readonly notifications?: readonly (keyof Notifications & string)[];
}
