import { createHash } from "node:crypto";
import type { Caller } from "@toolweave/core";
import type { ReplicaAddress } from "./replica-address.ts";
import { Sealer } from "./sealer.ts";
import type { ForwardedParts, ForwardedRequest } from "../http/forwarded-requests.ts";

/** Scheme of `Authorization` on requests between replicas. */
const scheme = "Toolweave-Replica ";

/** Milliseconds for which a forwarded request is accepted: as much as the clocks of two replicas may differ. */
const validMs = 30_000;

/**
 * Reason of a rejected request. `invalid`: it is forged, was changed, has expired, or was received before.
 * `other_instance`: it is for a process that listened at this URL before.
 */
export type ForwardRefusal = "invalid" | "other_instance";

interface Sealed {
  /** Instance of the receiver. */
  readonly to: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Unique id of the request. */
  readonly nonce: string;
  readonly caller: Caller | null;
  readonly digest: string;
}

/** Headers that the protocol defines; a client's credentials and all other headers stay at the replica that it has reached. */
const protocolHeader = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

/** Returns the headers that are forwarded, in the order of their names. */
export function protocolHeaders(headers: Headers): ForwardedParts["headers"] {
  // `Headers` iterates in the order of the names, in lower case.
  return [...headers].filter(([name]) => protocolHeader.test(name));
}

/** True if a request claims to be from another replica. */
export function isForwarded(headers: Headers): boolean {
  return headers.get("authorization")?.startsWith(scheme) === true;
}

/**
 * The credential of requests between replicas: each is sealed under a key that is derived from the shared secret for
 * this purpose only, and is valid once, for half a minute, for one process and for one request with its headers and
 * body. It carries the caller, so that the receiver checks it as if it had authenticated the caller itself.
 */
export class ForwardCredentials {
  readonly #sealer: Sealer;
  readonly #instance: string;
  readonly #now: () => number;
  readonly #received: RecentIds;

  /** @param instance Id of this process. @param now Milliseconds since the epoch. */
  constructor(secret: string | Uint8Array, instance: string, now: () => number = Date.now) {
    this.#sealer = new Sealer(secret, "toolweave mcp replica request 1");
    this.#instance = instance;
    this.#now = now;
    this.#received = new RecentIds(now);
  }

  /** Returns the value of `Authorization` for a request to another replica. */
  async create(
    { instance }: ReplicaAddress,
    caller: Caller | undefined,
    parts: ForwardedParts,
  ): Promise<string> {
    const sealed: Sealed = {
      to: instance,
      at: this.#now(),
      nonce: crypto.randomUUID(),
      caller: caller ?? null,
      digest: toDigest(parts),
    };
    return `${scheme}${await this.#sealer.seal(sealed, [])}`;
  }

  /** Accepts a request from another replica by its headers, once. */
  async accept(headers: Headers): Promise<ForwardedRequest | ForwardRefusal> {
    const text = headers.get("authorization") ?? "";
    if (!text.startsWith(scheme)) return "invalid";
    const opened = await this.#sealer.open(text.slice(scheme.length), []);
    if (opened === undefined) return "invalid";
    const { to, at, nonce, caller, digest } = opened as Sealed;
    if (Math.abs(this.#now() - at) > validMs) return "invalid";
    if (to !== this.#instance) return "other_instance";
    if (!this.#received.add(nonce)) return "invalid";
    return {
      caller: caller ?? undefined,
      matches: (parts) => toDigest(parts) === digest,
    };
  }
}

function toDigest({ method, headers, body }: ForwardedParts): string {
  return createHash("sha256")
    .update(JSON.stringify([method, headers, body !== undefined]))
    .update(body ?? "")
    .digest("base64url");
}

/** Ids of the last minutes: at least twice as long as a request is valid before or after its time. */
class RecentIds {
  readonly #now: () => number;
  #current = new Set<string>();
  #previous = new Set<string>();
  #startedAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** `false`: it was added before. */
  add(id: string): boolean {
    const age = this.#now() - this.#startedAt;
    // Also if the clock was set back.
    if (age >= 2 * validMs || age < 0) {
      this.#previous = this.#current;
      this.#current = new Set();
      this.#startedAt = this.#now();
    }
    if (this.#current.has(id) || this.#previous.has(id)) return false;
    this.#current.add(id);
    return true;
  }
}
