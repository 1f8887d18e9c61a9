import type { SourcePosition } from "./error.ts";
import { StarlarkObject, typeName } from "./value.ts";
import type { HashKey, NamedArguments, Value } from "./value.ts";

/** A variable that nested functions use. */
export interface Cell {
  value: Value | undefined;
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
  /** The slots of `*args` and `**kwargs`; -1 without. */
  readonly restSlot: number;
  readonly namedRestSlot: number;
  /** The slot of the first captured cell. */
  readonly freeSlot: number;
  /** The slots of a new frame. */
  readonly emptyFrame: readonly undefined[];
}

/** The context that the functions of a module share. */
export interface ModuleContext {
  readonly file: string;
  position(offset: number): SourcePosition;
  readonly allowsRecursion: boolean;
}

let lastKey = 0;

/** A function, which is equal only to itself. */
abstract class Callable extends StarlarkObject {
  #key: string | undefined;

  override hashKey(): HashKey {
    return (this.#key ??= `\u0104${++lastKey}`);
  }
}

/** A function that a script defines. */
export class StarlarkFunction extends Callable {
  override readonly type = "function";
  readonly code: Code;
  /** The defaults of the parameters; `undefined` for a required one. */
  readonly defaults: readonly (Value | undefined)[];
  readonly free: readonly Cell[];

  constructor(code: Code, defaults: readonly (Value | undefined)[], free: readonly Cell[]) {
    super();
    this.code = code;
    this.defaults = defaults;
    this.free = free;
  }

  override freeze(): Iterable<Value | undefined> {
    return [...this.defaults, ...this.free.map(({ value }) => value)];
  }

  override represent(): string {
    return `<function ${this.code.name}>`;
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
export class Builtin extends Callable {
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

  override freeze(): Iterable<Value | undefined> {
    return [this.receiver];
  }

  override represent(): string {
    const { name, receiver } = this;
    if (receiver === undefined) return `<built-in function ${name}>`;
    return `<built-in method ${name} of ${typeName(receiver)} value>`;
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

  override freeze(): Iterable<Value> {
    return this.members.values();
  }

  override represent(): string {
    return `<module "${this.name}">`;
  }
}

export function isCallable(value: Value): boolean {
  return value instanceof Callable;
}
