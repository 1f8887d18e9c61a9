import { chargeItems, chargeString } from "../values/budget.ts";
import { failLimit, StarlarkError, toStarlarkError } from "../values/error.ts";
import { fromBytes, toBytes } from "../values/utf8.ts";
import { StarlarkObject } from "../values/value.ts";
import type { EffectLog } from "../run/machine.ts";
import { type HostResult, type HostValue, toHost, toStarlark } from "./convert.ts";

/** A value as JSON without a loss: every kind that JSON lacks is an object with one key, such as `$bytes`. */
function encodeValue(value: HostValue): unknown {
  if (typeof value === "string") {
    // Values that a list has many times are one in memory, but not as JSON.
    chargeString(value.length);
    return value;
  }
  if (typeof value === "bigint") return { $int: String(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { $float: String(value) };
  if (typeof value !== "object" || value === null) return value ?? null;
  if (value instanceof StarlarkObject) return encodeValue(toHost(value));
  if (value instanceof Uint8Array) return { $bytes: encodeValue(fromBytes(value)) };
  if (Array.isArray(value)) {
    chargeItems(value.length);
    return value.map(encodeValue);
  }
  if (value instanceof Set) return { $set: encodeValue([...value]) };
  return { $dict: encodeValue(value instanceof Map ? [...value] : Object.entries(value)) };
}

/** The kinds that JSON lacks, by the key of their object. */
const decoders: Readonly<Record<string, (content: never) => HostValue>> = {
  $int: (content: string) => BigInt(content),
  $float: (content: string) => Number(content),
  $bytes: (content: string) => toBytes(content),
  $set: (content: unknown[]) => new Set(content.map(decodeValue)),
  $dict: (content: [unknown, unknown][]) =>
    new Map(content.map(([key, item]) => [decodeValue(key), decodeValue(item)])),
};

/** The value that `encodeValue` wrote. */
function decodeValue(json: unknown): HostValue {
  if (typeof json !== "object" || json === null) return json as HostValue;
  if (Array.isArray(json)) return json.map(decodeValue);
  const [kind, content] = Object.entries(json)[0] as [string, never];
  const decode = Object.hasOwn(decoders, kind) ? decoders[kind] : undefined;
  return decode?.(content) ?? failUnknown(`the journal has a value of the unknown kind ${kind}`);
}

/** Ends a run whose journal does not tell what happened. */
function failUnknown(message: string): never {
  throw new StarlarkError("outcome_unknown", message);
}

/** The result of one effect of a script, as JSON. */
export interface JournalEntry {
  /** The function of the host. */
  readonly name: string;
  /** A digest of the arguments. */
  readonly arguments: string;
  /** The result of the function, if it returned. */
  readonly result?: unknown;
  /** The message of its error, if it failed. */
  readonly error?: string;
}

/** The state of a run that can continue in another process, as JSON. */
export interface JournalState {
  readonly version: 1;
  /** The SHA-256 of the source text and its dialect. */
  readonly source: string;
  /** The function that was called, and a digest of its arguments. */
  readonly call: string;
  readonly entries: readonly JournalEntry[];
}

/**
 * The effects of a run in order. A run with the entries of an earlier one takes their results instead of calling the host
 * again, which brings it to the same point: a script has no other source of changes.
 */
export class Journal implements EffectLog {
  readonly #entries: JournalEntry[] = [];
  readonly #maxBytes: number;
  readonly #onEntry: ((journal: Journal) => void | Promise<void>) | undefined;
  #start: Pick<JournalState, "source" | "call">;
  #next = 0;
  #bytes = 0;

  /**
   * @param options.state What an earlier run saved.
   * @param options.maxBytes The length of all entries. Default: 1 MiB. An effect beyond it fails before it runs.
   * @param options.onEntry Called after each effect, before the script continues: the place to save the state.
   */
  constructor(
    options: {
      readonly state?: JournalState;
      readonly maxBytes?: number;
      readonly onEntry?: (journal: Journal) => void | Promise<void>;
    } = {},
  ) {
    const { state, maxBytes = 1024 * 1024, onEntry } = options;
    this.#start = { source: state?.source ?? "", call: state?.call ?? "" };
    this.#maxBytes = maxBytes;
    this.#onEntry = onEntry;
    for (const entry of state?.entries ?? []) this.#append(entry);
  }

  /** The state to save. */
  get state(): JournalState {
    return { version: 1, ...this.#start, entries: [...this.#entries] };
  }

  /** The number of effects that have a result. */
  get length(): number {
    return this.#entries.length;
  }

  /** Starts a run: the entries must be of the same source and the same call. */
  begin(source: string, call: string): void {
    const before = this.#start;
    if (this.length > 0 && (before.source !== source || before.call !== call)) {
      const what = before.source === source ? "call" : "source";
      failUnknown(`the journal is of another ${what}: the run cannot continue`);
    }
    this.#start = { source, call };
    this.#next = 0;
  }

  /** The result of the next effect: of the earlier run if it has one, else of `perform`. */
  effect(name: string, args: HostValue, perform: () => HostResult): HostResult {
    const digest = digestArguments(args);
    const known = this.#entries[this.#next++];
    if (known === undefined) {
      if (this.#bytes < this.#maxBytes) return this.#perform({ name, arguments: digest }, perform);
      failLimit(`the journal is longer than ${this.#maxBytes} bytes`);
    }
    if (known.name !== name || known.arguments !== digest)
      failUnknown(
        `effect ${this.#next} is a call of ${name}, but the journal has another call of ${known.name}`,
      );
    if (known.error !== undefined) throw new StarlarkError("execution_failed", known.error);
    return decodeValue(known.result);
  }

  async #perform(
    call: Pick<JournalEntry, "name" | "arguments">,
    perform: () => HostResult,
  ): Promise<HostValue> {
    let result: unknown;
    try {
      const value = await perform();
      // Fails for a value that scripts cannot have.
      toStarlark(value);
      result = encodeValue(value);
    } catch (error) {
      const fault = toStarlarkError(error);
      // An interruption is no result: the effect runs when the run continues.
      if (fault.code === "execution_failed") await this.#add({ ...call, error: fault.message });
      throw fault;
    }
    await this.#add({ ...call, result });
    // As the run gets it that continues from this entry.
    return decodeValue(result);
  }

  async #add(entry: JournalEntry): Promise<void> {
    this.#append(entry);
    await this.#onEntry?.(this);
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#bytes += JSON.stringify(entry).length;
  }

  /** Checks that a run used all entries: an edited script could end before. */
  finish(): void {
    if (this.#next < this.length)
      failUnknown(`the run ended after ${this.#next} effects, but the journal has ${this.length}`);
  }
}

/** A short text that differs for different arguments: their JSON, or two hashes of it if it is long. */
export function digestArguments(args: HostValue): string {
  const text = JSON.stringify(encodeValue(args));
  if (text.length <= 64) return text;
  let [first, second] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x85ebca6b) ^ (second >>> 13);
  }
  return `${text.length}:${(first >>> 0).toString(16)}:${(second >>> 0).toString(16)}`;
}
