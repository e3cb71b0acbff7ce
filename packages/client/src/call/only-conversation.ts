// Whether all requests of a connection belong to one user. A message that names no request may only reach its user then.
import { type Exchange, type ModernRequest, method } from "@lethe/protocol";

export class OnlyConversation {
  #id: string | undefined;
  #isShared = false;

  /** Subscriptions tell their messages apart by an id. */
  note(request: ModernRequest, { conversation }: Exchange): void {
    if (request.method === method.listen) return;
    this.#id ??= conversation;
    if (conversation === undefined || conversation !== this.#id) this.#isShared = true;
  }

  /** False before the first request, and from the first request of another or an unknown conversation on. */
  get isOnly(): boolean {
    return this.#id !== undefined && !this.#isShared;
  }
}
