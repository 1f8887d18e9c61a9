import { viewBytes } from "../json/to-json.ts";
import { latin1 } from "./secret-patterns.ts";

/** Redacts a text, a number or a JSON value; returns the same value if it holds no secret. */
export type RedactAny = <Value>(value: Value) => Value;

/** How much of an error is read. What lies beyond is withheld. */
export interface ErrorLimits {
  /** Units of work: 1 for each key, value and cause, and 1 for each 64 characters or bytes. */
  readonly maxWork: number;
  /** Causes that are copied if one of them holds a secret. Clean ones are not copied. */
  readonly maxCauses: number;
  /** Characters of one text of a copied cause. */
  readonly maxTextLength: number;
  /** Characters of the error's own message. */
  readonly maxMessageLength: number;
  /** Bytes of the error's body as JSON. */
  readonly maxBodyBytes: number;
}

const charactersPerUnit = 64;
const maxBigintBits = 10_000;

/** An object with this member runs its own code when it is printed, as a URL or a request does. */
const inspected = Symbol.for("nodejs.util.inspect.custom");

const nothing: ReadonlySet<PropertyKey> = new Set();
const onlyCause: ReadonlySet<PropertyKey> = new Set(["cause"]);

/** An error that is a cause, with the cause of its own. */
interface Link {
  readonly error: Error;
  readonly cause: unknown;
}

/** The causes of an error, the outermost first. */
interface Chain {
  readonly links: readonly Link[];
  /** The last cause, if it is no `Error`. */
  readonly end: unknown;
  /** The last link leads back into the chain, or was not followed any further. */
  readonly isOpen: boolean;
}

/**
 * Searches one error for secrets. Each object is visited once, and all visits share one budget (`ErrorLimits.maxWork`),
 * so that the work is bounded for causes that are long, wide, shared or cyclic. What exceeds the budget counts as not
 * clean.
 */
export class ErrorSearch {
  readonly #redact: RedactAny;
  readonly #limits: ErrorLimits;
  readonly #seen = new Set<object>();
  #left: number;

  constructor(redact: RedactAny, limits: ErrorLimits) {
    this.#redact = redact;
    this.#limits = limits;
    this.#left = limits.maxWork;
  }

  /** The error's own message. One that is longer than the limit is cut after it was searched. */
  redactMessage(message: string): string {
    const { maxMessageLength } = this.#limits;
    if (message.length <= maxMessageLength) return this.#redact(message);
    const redacted = this.#redact(message.slice(0, maxMessageLength));
    const length = Math.floor(maxMessageLength / 2);
    // The end of what was searched may be half of a secret.
    return redacted.length < length ? withheldText(message) : `${redacted.slice(0, length)}…`;
  }

  /** The cause itself if all of it was read and no secret was found, else a redacted copy of it. */
  redactCause(cause: unknown): unknown {
    try {
      return this.#redactChain(this.#readChain(cause));
    } catch {
      // A value that cannot be read may hold a secret.
      return withheld();
    }
  }

  /** True if all that can be read of an object without running its code was searched and holds no secret. */
  isClean(root: object, skipped: ReadonlySet<PropertyKey> = nothing): boolean {
    try {
      const pending: unknown[] = [];
      if (this.#seen.has(root)) return true;
      this.#seen.add(root);
      if (!this.#readObject(root, skipped, pending)) return false;
      while (pending.length > 0) if (!this.#readValue(pending.pop(), pending)) return false;
      return true;
    } catch {
      return false;
    }
  }

  isCleanText(text: string): boolean {
    return this.#spend(1 + text.length / charactersPerUnit) && this.#redact(text) === text;
  }

  isCleanNumber(value: unknown): boolean {
    if (value === undefined) return true;
    return typeof value === "number" && this.#spend(1) && this.#redact(value) === value;
  }

  #spend(units: number): boolean {
    this.#left -= units;
    return this.#left >= 0;
  }

  #readChain(first: unknown): Chain {
    const links: Link[] = [];
    const known = new Set<unknown>();
    let at = first;
    while (at instanceof Error) {
      if (known.has(at) || !this.#spend(1)) return { links, end: undefined, isOpen: true };
      known.add(at);
      const { cause } = at;
      links.push({ error: at, cause });
      at = cause;
    }
    return { links, end: at, isOpen: false };
  }

  #redactChain({ links, end, isOpen }: Chain): unknown {
    let cause = isOpen ? undefined : this.#redactEnd(end);
    let next = links.length;
    // From the innermost cause: what one leads to is known before it is searched itself.
    if (isOpen || cause === end) {
      while (next > 0 && this.#isCleanLink(links[next - 1] as Link)) {
        next -= 1;
        cause = (links[next] as Link).error;
      }
      if (next === 0) return cause;
    }
    // Every link that leads to a secret is copied, however clean it is: in an open chain all of them do.
    const { maxCauses } = this.#limits;
    if (isOpen) [next, cause] = [links.length, undefined];
    if (next > maxCauses) [next, cause] = [maxCauses, undefined];
    while (next > 0) {
      next -= 1;
      cause = this.#copy((links[next] as Link).error, cause);
    }
    return cause;
  }

  #isCleanLink({ error }: Link): boolean {
    const own = Object.getOwnPropertyDescriptor(error, "cause");
    return own?.get === undefined && this.isClean(error, onlyCause);
  }

  #redactEnd(end: unknown): unknown {
    if (typeof end === "bigint" && !isShort(end)) return withheld();
    if (typeof end === "string" || typeof end === "number" || typeof end === "bigint") {
      const text = String(end);
      const redacted = this.#text(text);
      return redacted === text ? end : redacted;
    }
    if ((typeof end !== "object" && typeof end !== "function") || end === null) return end;
    return this.isClean(end) ? end : withheld();
  }

  #copy(error: Error, cause: unknown): Error {
    const copy = withheld();
    try {
      const { name, message, stack } = error;
      copy.message = this.#text(String(message));
      define(copy, "name", this.#text(String(name)));
      define(copy, "stack", this.#text(String(stack)));
    } catch {
      // The readable part is enough.
    }
    if (cause !== undefined) define(copy, "cause", cause);
    return copy;
  }

  #text(text: string): string {
    return text.length > this.#limits.maxTextLength ? withheldText(text) : this.#redact(text);
  }

  /** False if it is a secret, or exceeds the budget. Objects within it are added to `pending`. */
  #readValue(value: unknown, pending: unknown[]): boolean {
    if (typeof value === "string") return this.isCleanText(value);
    if (typeof value === "number") return this.isCleanNumber(value);
    if (typeof value === "bigint") return isShort(value) && this.isCleanText(String(value));
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return true;
    if (this.#seen.has(value)) return true;
    this.#seen.add(value);
    return this.#readObject(value, nothing, pending);
  }

  #readObject(value: object, skipped: ReadonlySet<PropertyKey>, pending: unknown[]): boolean {
    const bytes = viewBytes(value) ?? (ArrayBuffer.isView(value) ? toBytes(value) : undefined);
    if (bytes !== undefined) {
      return this.#spend(1 + bytes.length / charactersPerUnit) && this.isCleanText(latin1(bytes));
    }
    if (inspected in value || !this.#spend(1)) return false;
    // To list that many keys would take longer than the budget allows.
    if (Array.isArray(value) && value.length > this.#left) return false;
    // oxlint-disable-next-line unicorn/no-instanceof-builtins -- a boxed text has a key for each character
    if (value instanceof String) return this.isCleanText(String.prototype.valueOf.call(value));
    if (!this.#readCollection(value, pending)) return false;
    for (const key of Reflect.ownKeys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      if (skipped.has(key) && own?.get === undefined) continue;
      if (!this.isCleanText(String(key))) return false;
      // V8's stack is an accessor in some versions, and reading it runs nothing.
      const isStack = key === "stack" && value instanceof Error;
      if (!isStack && (own?.get !== undefined || key === "toJSON")) return false;
      pending.push(isStack ? value.stack : own?.value);
    }
    // An error's message may be its class's.
    if (value instanceof Error) pending.push(value.message);
    return true;
  }

  /** The entries of a map or a set, without the code of a class that extends it. */
  #readCollection(value: object, pending: unknown[]): boolean {
    if (value instanceof Map) {
      for (const entry of Map.prototype.entries.call(value)) {
        if (!this.#spend(2)) return false;
        pending.push(...entry);
      }
    } else if (value instanceof Set) {
      for (const member of Set.prototype.values.call(value)) {
        if (!this.#spend(1)) return false;
        pending.push(member);
      }
    }
    return true;
  }
}

/** Digits of a longer number take more than linear time. */
function isShort(value: bigint): boolean {
  return BigInt.asIntN(maxBigintBits, value) === value;
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function withheld(): Error {
  return new Error("The cause is withheld: it holds a secret, or cannot be read.");
}

function withheldText(text: string): string {
  return `[withheld: a text of ${text.length} characters]`;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true });
}
