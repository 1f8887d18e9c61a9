import type { ReconnectingConnection } from "./reconnecting-connection.ts";

/**
 * The links to one server: one that all share, and one for each owner of credentials. What is done with one owner's
 * credentials never goes through another one's link.
 */
export class Sessions {
  readonly #make: (owner: string | undefined, onIdle: () => void) => ReconnectingConnection;
  readonly #links = new Map<string | undefined, ReconnectingConnection>();
  #closed = false;

  /** @param make makes the link of an owner; `onIdle` is for when it has ended for want of calls. */
  constructor(make: (owner: string | undefined, onIdle: () => void) => ReconnectingConnection) {
    this.#make = make;
  }

  /** The link of an owner; `undefined`: the one that all share. */
  of(owner: string | undefined): ReconnectingConnection {
    const known = this.#links.get(owner);
    if (known !== undefined) return known;
    const link = this.#make(owner, () => {
      if (this.#links.get(owner) === link) this.#links.delete(owner);
    });
    if (this.#closed) void link.close();
    else this.#links.set(owner, link);
    return link;
  }

  /** Those that are there now. */
  all(): Iterable<ReconnectingConnection> {
    return this.#links.values();
  }

  /** Ends all of them. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(Array.from(this.#links.values(), (link) => link.close()));
  }
}
