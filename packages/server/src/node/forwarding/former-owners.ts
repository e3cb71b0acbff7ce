// The former owners of sessions. The shared store names each one once, while the acquisition of the session may fail and begin again.

/** The oldest is forgotten first. */
const maxFormerOwners = 10_000;

export class FormerOwners {
  readonly #owners = new Map<string, string>();

  add(key: string, owner: string): void {
    const oldest = this.#owners.keys().next();
    if (this.#owners.size >= maxFormerOwners && !oldest.done) this.#owners.delete(oldest.value);
    this.#owners.set(key, owner);
  }

  /** Returns the former owner of a session that this replica has acquired, and forgets it. */
  take(key: string): string | undefined {
    const owner = this.#owners.get(key);
    this.#owners.delete(key);
    return owner;
  }

  /** Another replica owns the session. */
  forget(key: string): void {
    this.#owners.delete(key);
  }
}
