import type { SourcePosition } from "./error.ts";
import { StarlarkObject, typeName } from "./value.ts";
import type { HashKey, NamedArguments, Value, ValueWriter } from "./value.ts";

/** A variable that nested functions use. */
export class Cell {
  value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** The content of a slot of a frame: values, cells, and the state of loops. */
export type Slot = Value | Cell | object | undefined;

/** One operation of a function. It returns the index of the next one, or a signal below 0. */
export type Operation = (slots: Slot[]) => number;

/** The part of a function that a frame needs to run and to report its place. */
export interface FrameCode {
  readonly name: string;
  readonly operations: readonly Operation[];
  /** The offset in the source that each operation reports. */
  readonly sites: readonly number[];
  readonly module: ModuleContext;
}

/** The operations of a function and what a call needs to know about it. */
export interface Code extends FrameCode {
  /** The names of the parameters in the order of their slots, without `*args` and `**kwargs`. */
  readonly parameters: readonly string[];
  readonly keywordOnly: number;
  readonly hasRest: boolean;
  readonly hasNamedRest: boolean;
  /** The number of arguments of a call that needs nothing but to store them; -1 if there is none. */
  readonly simpleArity: number;
  /** The slot of the first captured cell. */
  readonly freeSlot: number;
  /** The slots of a new frame. */
  readonly emptyFrame: readonly undefined[];
  /** The result of the whole body, if it can be computed without a suspension. */
  readonly leaf: ((slots: Slot[]) => Value) | undefined;
  readonly start: number;
}

/** The context that the functions of a module share. */
export interface ModuleContext {
  readonly file: string;
  position(offset: number): SourcePosition;
  readonly allowsRecursion: boolean;
}

/** A function that a script defines. */
export class StarlarkFunction extends StarlarkObject {
  override readonly type = "function";
  readonly code: Code;
  /** The defaults of the last parameters; `undefined` for a required keyword-only parameter among them. */
  readonly defaults: readonly (Value | undefined)[];
  readonly free: readonly Cell[];
  #frozen = false;

  constructor(code: Code, defaults: readonly (Value | undefined)[], free: readonly Cell[]) {
    super();
    this.code = code;
    this.defaults = defaults;
    this.free = free;
  }

  get name(): string {
    return this.code.name;
  }

  override hashKey(): HashKey {
    return this;
  }

  override freeze(pending: Value[]): void {
    if (this.#frozen) return;
    this.#frozen = true;
    for (const value of this.defaults) if (value !== undefined) pending.push(value);
    for (const cell of this.free) if (cell.value !== undefined) pending.push(cell.value);
  }

  override write(writer: ValueWriter): void {
    writer.text(`<function ${this.code.name}>`);
  }
}

/**
 * A built-in function that calls functions of the script. `step` receives the result of the previous call, `undefined` at
 * first, and returns the next call or the result.
 */
export interface CallbackTask {
  readonly step: (
    received: Value | undefined,
  ) => { readonly callee: Value; readonly arguments: Value[] } | { readonly result: Value };
  /** Called when the task ends, also after an error. */
  readonly dispose?: () => void;
}

/**
 * A result that a promise has: a value, or a function that makes it. The function is called in the run that waits, so that
 * the memory of the value is charged to it.
 */
export type LateResult = Value | (() => Value);

/** The result of a built-in function: a value, a promise of one, or calls to make. */
export type BuiltinResult = Value | Promise<LateResult> | CallbackTask;

export type BuiltinImplementation = (args: Value[], named: NamedArguments) => BuiltinResult;

/** A function that the language or the host provides. */
export class Builtin extends StarlarkObject {
  override readonly type = "builtin_function_or_method";
  readonly name: string;
  /** The value whose method this is. */
  readonly receiver: Value | undefined;
  readonly call: BuiltinImplementation;

  constructor(name: string, call: BuiltinImplementation, receiver?: Value) {
    super();
    this.name = name;
    this.call = call;
    this.receiver = receiver;
  }

  override hashKey(): HashKey {
    return this;
  }

  override freeze(pending: Value[]): void {
    if (this.receiver !== undefined) pending.push(this.receiver);
  }

  override write(writer: ValueWriter): void {
    const { name, receiver } = this;
    if (receiver === undefined) writer.text(`<built-in function ${name}>`);
    else writer.text(`<built-in method ${name} of ${typeName(receiver)} value>`);
  }
}

/** A group of values with a name, such as `json`. */
export class StarlarkModule extends StarlarkObject {
  override readonly type = "module";
  readonly name: string;
  readonly members: ReadonlyMap<string, Value>;

  constructor(name: string, members: Iterable<readonly [string, Value]>) {
    super();
    this.name = name;
    this.members = new Map(members);
  }

  override attribute(name: string): Value | undefined {
    return this.members.get(name);
  }

  override attributeNames(): readonly string[] {
    return [...this.members.keys()].sort();
  }

  override freeze(pending: Value[]): void {
    for (const member of this.members.values()) pending.push(member);
  }

  override write(writer: ValueWriter): void {
    writer.text(`<module "${this.name}">`);
  }
}

export function isCallable(value: Value): value is StarlarkFunction | Builtin {
  return value instanceof StarlarkFunction || value instanceof Builtin;
}
