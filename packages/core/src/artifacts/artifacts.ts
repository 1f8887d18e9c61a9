import type { Clock } from "../time/clock.ts";
import { withTimeout } from "../time/waiting.ts";
import type { Awaitable } from "../json/json.ts";
import type { ArtifactRef } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import {
  artifactKey,
  newArtifactKey,
  type ArtifactStore,
  type StoredArtifact,
} from "./artifact-store.ts";
import { toOwner, type Behalf } from "../contract/caller.ts";
import { visibleText } from "../contract/visible-text.ts";
import { wellFormed } from "../text/utf8.ts";

/** Timeout of one answer of a store, in milliseconds. */
export const maxStoreMs = 10_000;
const maxOwners = 10_000;
/** Larger than any engine can hold at once: no store has it. */
const maxBytes = 2 ** 32;

/** Maximum number of reads for one artifact: a store that returns it byte by byte would take too long. */
const maxPieces = 100_000;

/** Metadata of an artifact to store. */
export interface NewArtifact {
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly truncated?: boolean | undefined;
  /** Timeout of the store in milliseconds; Infinity: the caller has a timeout of its own. Default: 10,000. */
  readonly withinMs?: number;
}

/** How a host reads artifacts that it displays. */
export type ArtifactAccess = Pick<Artifacts, "find" | "read">;

/** An executor's artifacts: access is checked here, whatever the store. */
export class Artifacts {
  readonly store: ArtifactStore;
  readonly clock: Clock;
  readonly #lifetimeMs: number;
  /** Expiry of the latest artifact of each owner, in order of storage. */
  readonly #owners = new Map<string, number>();
  readonly #asked = new WeakMap<Behalf, string>();

  constructor(store: ArtifactStore, clock: Clock, lifetimeMs: number) {
    this.store = store;
    this.clock = clock;
    this.#lifetimeMs = lifetimeMs;
  }

  /**
   * True when this process has stored an artifact for the owner that may still exist. Read for every call, so the owner
   * of an object is computed once.
   */
  mayHave(behalf: Behalf): boolean {
    return this.#owners.size > 0 && this.#hasStored(behalf);
  }

  #hasStored(behalf: Behalf): boolean {
    let owner = this.#asked.get(behalf);
    if (owner === undefined) this.#asked.set(behalf, (owner = toOwner(behalf)));
    return (this.#owners.get(owner) ?? 0) > this.clock.now();
  }

  /**
   * Stores `data`, which must be redacted already.
   *
   * @throws ToolError `store_unavailable` or `limit_exceeded`.
   */
  async write(
    behalf: Behalf,
    data: string | Uint8Array,
    { mediaType, name, truncated, withinMs }: NewArtifact,
  ): Promise<ArtifactRef> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const createdAt = this.clock.now();
    const displayName = toDisplayName(name);
    const ref: ArtifactRef = Object.freeze({
      key: newArtifactKey(),
      mediaType: toMediaType(mediaType),
      size: bytes.byteLength,
      ...(displayName === undefined ? {} : { name: displayName }),
      ...(truncated === true ? { truncated } : {}),
    });
    const owner = toOwner(behalf);
    const expiresAt = createdAt + this.#lifetimeMs;
    await this.#ask(() => this.store.put({ ...ref, owner, createdAt, expiresAt }, bytes), withinMs);
    this.#owners.delete(owner);
    this.#owners.set(owner, expiresAt);
    if (this.#owners.size > maxOwners) {
      const [oldest] = this.#owners.keys();
      this.#owners.delete(oldest as string);
    }
    return ref;
  }

  /**
   * Reads the metadata of the artifact with that key, with or without `artifact:` before it.
   *
   * @throws ToolError `artifact_missing`: it does not exist, or belongs to another owner; `store_unavailable`.
   */
  async head(behalf: Behalf, key: unknown, withinMs?: number): Promise<ArtifactRef> {
    const owner = toOwner(behalf);
    const found = await this.#find(key, withinMs);
    if (found.owner !== owner) throw missing();
    const { owner: _, createdAt: __, expiresAt: ___, ...ref } = found;
    return ref;
  }

  /**
   * Reads the metadata of an artifact of any owner, for a host that decides itself who may read it.
   *
   * @throws ToolError `artifact_missing`: it does not exist; `store_unavailable`.
   */
  find(key: string): Promise<StoredArtifact> {
    return this.#find(key, undefined);
  }

  async #find(key: unknown, withinMs: number | undefined): Promise<StoredArtifact> {
    const wanted = artifactKey(key);
    if (wanted === undefined) throw missing();
    const found = await this.#ask(() => this.store.head(wanted), withinMs);
    if (found === undefined) throw missing();
    const stored = copyArtifact(found);
    const { owner, size, createdAt, expiresAt, mediaType, name, truncated } = stored;
    if (stored.key !== wanted || !(expiresAt > this.clock.now())) throw missing();
    if (!Number.isSafeInteger(size) || size < 0 || size > maxBytes) throw unreadable();
    const displayName = toDisplayName(name);
    return {
      key: wanted,
      owner,
      mediaType: toMediaType(mediaType),
      size,
      ...(displayName === undefined ? {} : { name: displayName }),
      ...(truncated === true ? { truncated } : {}),
      createdAt,
      expiresAt,
    };
  }

  /**
   * Reads the bytes of an artifact that `head` has returned, from `offset` on: `length` of them, or as many as there
   * are.
   *
   * @throws ToolError `artifact_missing`, `store_unavailable`
   */
  async read({ key, size }: ArtifactRef, offset = 0, length: number = size): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, size - offset));
    const first = wanted === 0 ? new Uint8Array() : await this.#part(key, offset, wanted);
    if (first.byteLength === wanted) return first;
    const whole = new Uint8Array(wanted);
    whole.set(first);
    let pieces = 1;
    for (let at = first.byteLength; at < wanted;) {
      if (++pieces > maxPieces) throw unreadable();
      const part = await this.#part(key, offset + at, wanted - at);
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }

  async #part(key: string, offset: number, length: number): Promise<Uint8Array> {
    const part: unknown = await this.#ask(() => this.store.read(key, offset, length));
    if (part === undefined) throw missing();
    if (!(part instanceof Uint8Array) || part.byteLength === 0 || part.byteLength > length) {
      throw unreadable();
    }
    return part;
  }

  /** Calls the store, with a timeout. */
  async #ask<T>(ask: () => Awaitable<T>, withinMs: number = maxStoreMs): Promise<T> {
    const answer = Promise.resolve().then(ask);
    if (withinMs === Infinity) return answer.catch(rethrown);
    const { clock } = this;
    const late = (): Error => lateStore(withinMs);
    return withTimeout(answer, withinMs, { clock, late }).catch(rethrown);
  }
}

/** An exceeded limit is passed on. The text of any other error of a store is not for a model: it may name its place. */
function asStoreError(error: unknown): ToolError {
  try {
    if (ToolError.is(error) && (error.code === "limit_exceeded" || error.message.startsWith(store)))
      return error;
  } catch {
    // Reading the error throws.
  }
  return unavailable("failed", error);
}

function rethrown(error: unknown): never {
  throw asStoreError(error);
}

/** Creates the error of a store that has timed out. */
export function lateStore(ms: number): ToolError {
  return unavailable(`did not answer within ${ms} ms`);
}

function copyArtifact(found: StoredArtifact): StoredArtifact {
  try {
    return { ...found };
  } catch (error) {
    throw unavailable("failed", error);
  }
}

/** One text for keys that never existed, have expired or belong to another owner: it reveals nothing. */
function missing(): ToolError {
  return new ToolError(
    "artifact_missing",
    "There is no such artifact (any more). Use a key from a result of this session; if it has expired, repeat the call that made it.",
  );
}

function unreadable(): ToolError {
  return unavailable("gave back something else than was stored");
}

function unavailable(what: string, cause?: unknown): ToolError {
  return new ToolError("store_unavailable", `${store} ${what}.`, { cause });
}

/** The beginning of the errors that are made here. */
const store = "The store of artifacts";

const unknownType = "application/octet-stream";

const form = /^([\w.+-]+\/[\w.+-]+)(?:$|\s*;)/;
const plainParameters = /^[^;\s]+(?: *; *[\w.+-]+="?[\w.:+-]+"?)*$/;

/**
 * Normalises a media type for display and storage: a value that is not one becomes `application/octet-stream`.
 * Parameters that could contain a sentence are omitted, since notes of the executor name the type.
 */
export function toMediaType(given: unknown): string {
  const type = typeof given === "string" && given.length <= 100 ? form.exec(given) : null;
  if (type === null) return unknownType;
  return plainParameters.test(type.input) ? type.input : (type[1] as string);
}

/** Normalises a name for display: one line, at most 200 characters. */
function toDisplayName(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const name = wellFormed(given.slice(0, 200));
  const clean = visibleText(name).replace(/\s+/g, " ").trim();
  return clean === "" ? undefined : clean;
}
