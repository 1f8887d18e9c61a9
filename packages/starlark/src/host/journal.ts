import { failLimit, StarlarkError } from "../values/error.ts";
import { chargeItems, chargeString } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet, toDict, toSet } from "../values/dict.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { fromBigInt } from "../values/int.ts";
import { StarlarkList, StarlarkTuple, toList, toTuple } from "../values/sequence.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { typeName, type Value } from "../values/value.ts";
import type { EffectLog } from "../run/machine.ts";
import type { LateResult } from "../values/function.ts";

const maxDepth = 200;

/** A value as JSON without a loss: every kind that JSON lacks is an object with one key, such as `$float`. */
function encodeValue(value: Value, depth = 0): unknown {
  if (typeof value === "string") {
    // Values that a list has many times are one in memory, but not as JSON.
    chargeString(value.length);
    const text = fromUtf8(value);
    return toUtf8(text) === value ? text : { $text: value };
  }
  if (typeof value === "bigint") return { $int: value.toString() };
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof StarlarkFloat)
    return { $float: Object.is(value.value, -0) ? "-0" : String(value.value) };
  if (value instanceof StarlarkBytes) return { $bytes: value.data };
  if (depth >= maxDepth) failLimit(`a value is nested too deeply to be saved (limit ${maxDepth})`);
  const encodeAll = (items: readonly Value[]): unknown[] => {
    chargeItems(items.length);
    return items.map((item) => encodeValue(item, depth + 1));
  };
  if (value instanceof StarlarkList) return encodeAll(value.elements);
  if (value instanceof StarlarkTuple) return { $tuple: encodeAll(value.elements) };
  if (value instanceof StarlarkSet) return { $set: encodeAll(value.items()) };
  if (value instanceof StarlarkDict) return { $dict: value.entries().map(encodeAll) };
  throw new StarlarkError("execution_failed", `a ${typeName(value)} cannot be saved`);
}

/** The kinds that JSON lacks, by the key of their object. */
const decoders: Readonly<Record<string, (content: never) => Value>> = {
  $text: (content: string) => content,
  $int: (content: string) => fromBigInt(BigInt(content)),
  $float: (content: string) => toFloat(Number(content)),
  $bytes: (content: string) => new StarlarkBytes(content),
  $tuple: (content: unknown[]) => toTuple(content.map(decodeValue)),
  $set: (content: unknown[]) => toSet(content.map(decodeValue)),
  $dict: (content: [unknown, unknown][]) =>
    toDict(content.map(([key, item]) => [decodeValue(key), decodeValue(item)])),
};

/** The value that `encodeValue` wrote. */
function decodeValue(json: unknown): Value {
  if (typeof json === "string") {
    chargeString(json.length);
    return toUtf8(json);
  }
  if (typeof json !== "object" || json === null) return json as Value;
  if (Array.isArray(json)) return toList(json.map(decodeValue));
  const [kind, content] = Object.entries(json)[0] as [string, never];
  const decode = Object.hasOwn(decoders, kind) ? decoders[kind] : undefined;
  if (decode !== undefined) return decode(content);
  throw new StarlarkError("outcome_unknown", `the journal has a value of the unknown kind ${kind}`);
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
  readonly #entries: JournalEntry[];
  readonly #maxBytes: number;
  readonly #onEntry: ((journal: Journal) => void | Promise<void>) | undefined;
  #source: string;
  #call: string;
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
    this.#entries = [...(state?.entries ?? [])];
    this.#source = state?.source ?? "";
    this.#call = state?.call ?? "";
    this.#maxBytes = maxBytes;
    this.#onEntry = onEntry;
    for (const entry of this.#entries) this.#bytes += JSON.stringify(entry).length;
  }

  /** The state to save. */
  get state(): JournalState {
    return { version: 1, source: this.#source, call: this.#call, entries: [...this.#entries] };
  }

  /** The number of effects that have a result. */
  get length(): number {
    return this.#entries.length;
  }

  /** Whether the run takes results of an earlier one. */
  get replaying(): boolean {
    return this.#next < this.#entries.length;
  }

  /** Starts a run: the entries must be of the same source and the same call. */
  begin(source: string, call: string): void {
    if (this.#entries.length > 0 && (this.#source !== source || this.#call !== call)) {
      const what = this.#source === source ? "call" : "source";
      throw new StarlarkError(
        "outcome_unknown",
        `the journal is of another ${what}: the run cannot continue`,
      );
    }
    this.#source = source;
    this.#call = call;
    this.#next = 0;
  }

  /** The result of the next effect: of the earlier run if it has one, else of `perform`. */
  effect(
    name: string,
    args: readonly Value[],
    perform: () => Value | Promise<LateResult>,
  ): Value | Promise<LateResult> {
    const digest = digestArguments(args);
    const known = this.#entries[this.#next];
    if (known === undefined) {
      if (this.#bytes < this.#maxBytes) return this.#perform({ name, arguments: digest }, perform);
      failLimit(`the journal is longer than ${this.#maxBytes} bytes`);
    }
    if (known.name !== name || known.arguments !== digest) {
      throw new StarlarkError(
        "outcome_unknown",
        `effect ${this.#next + 1} is a call of ${name}, but the journal has another call of ${known.name}`,
      );
    }
    this.#next++;
    if (known.error !== undefined) throw new StarlarkError("execution_failed", known.error);
    return decodeValue(known.result);
  }

  async #perform(
    call: Pick<JournalEntry, "name" | "arguments">,
    perform: () => Value | Promise<LateResult>,
  ): Promise<LateResult> {
    let value: Value;
    try {
      const late = await perform();
      value = typeof late === "function" ? late() : late;
    } catch (error) {
      // An interruption is no result: the effect runs when the run continues.
      if (error instanceof StarlarkError && error.code !== "execution_failed") throw error;
      const message = error instanceof Error ? error.message : String(error);
      await this.#add({ ...call, error: message });
      throw error;
    }
    const result = encodeValue(value);
    await this.#add({ ...call, result });
    // Made again in the run, which is charged for it as it is when it takes the result of an earlier run.
    return () => decodeValue(result);
  }

  async #add(entry: JournalEntry): Promise<void> {
    this.#entries.push(entry);
    this.#next++;
    this.#bytes += JSON.stringify(entry).length;
    await this.#onEntry?.(this);
  }

  /** Checks that a run used all entries: an edited script could end before. */
  finish(): void {
    if (this.replaying) {
      throw new StarlarkError(
        "outcome_unknown",
        `the run ended after ${this.#next} effects, but the journal has ${this.#entries.length}`,
      );
    }
  }
}

/** A short text that differs for different arguments: their JSON, or two hashes of it if it is long. */
export function digestArguments(args: readonly Value[]): string {
  const text = JSON.stringify(args.map((value) => encodeValue(value)));
  if (text.length <= 64) return text;
  let [first, second] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second ^ unit, 0x85ebca6b) ^ (second >>> 13);
  }
  return `${text.length}:${(first >>> 0).toString(16)}:${(second >>> 0).toString(16)}`;
}
