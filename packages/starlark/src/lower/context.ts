import type { Builtin, Cell, Code, ModuleContext } from "../values/function.ts";
import type { Value } from "../values/value.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import type { Binding, Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { ModuleVariable } from "../resolve/scope.ts";
import { Assembler, failAt, readSlot } from "./assembler.ts";
import type { Captured, Evaluate, Label, Store } from "./assembler.ts";

/** The context of all functions of a module while they are lowered. */
export interface ModuleLowering {
  readonly context: ModuleContext;
  /** The variables of the module, and their values while it runs. */
  readonly variables: readonly ModuleVariable[];
  readonly values: (Value | undefined)[];
  /** The values of the names that the host and the language define. */
  readonly names: ReadonlyMap<string, Value>;
  /** Whether each statement is an operation of its own. */
  readonly separate: boolean;
  /** The function behind `load`. */
  readonly load: Builtin;
}

/** A loop around a statement: where `continue` and `break` go, and the slot of its items, which a `return` ends. */
export interface Loop {
  readonly head: Label;
  readonly exit: Label;
  readonly slot?: number;
}

/** Functions whose files import this one. */
interface Lowering {
  readonly lowerExpression: (context: FunctionContext, expression: Expression) => Evaluate;
  readonly lowerFunction: (
    module: ModuleLowering,
    scope: FunctionScope,
    body: readonly Statement[] | Expression,
  ) => Code;
}

/** One function while it is lowered: its slots and its operations. */
export class FunctionContext extends Assembler {
  readonly module: ModuleLowering;
  readonly scope: FunctionScope;
  readonly lowering: Lowering;
  readonly freeSlot: number;
  readonly loops: Loop[] = [];
  slotCount: number;
  #nextTemporary: number;

  constructor(module: ModuleLowering, scope: FunctionScope, lowering: Lowering) {
    super();
    this.module = module;
    this.scope = scope;
    this.lowering = lowering;
    this.freeSlot = scope.locals.length;
    this.#nextTemporary = this.freeSlot + scope.free.length;
    this.slotCount = this.#nextTemporary;
  }

  /** A slot for a value between operations. */
  temporary(): number {
    const slot = this.#nextTemporary++;
    this.slotCount = Math.max(this.slotCount, this.#nextTemporary);
    return slot;
  }

  /** Runs `lower`; the temporary slots that it takes are free afterwards. */
  withTemporaries(lower: () => void): void {
    const saved = this.#nextTemporary;
    lower();
    this.#nextTemporary = saved;
  }

  /** The closure of an expression, after the operations that must run before it; `None` without an expression. */
  lower(expression: Expression | undefined): Evaluate {
    return expression === undefined ? () => null : this.lowering.lowerExpression(this, expression);
  }

  /**
   * The closures of expressions that are computed from left to right. If a later one can be suspended, the values of the
   * earlier ones are stored before.
   */
  operands(expressions: readonly (Expression | undefined)[]): Evaluate[] {
    const captured = expressions.map((expression) => this.capture(() => this.lower(expression)));
    const last = captured.findLastIndex(({ items }) => items.length > 0);
    return captured.map(({ result, items }, index) => {
      this.append(items);
      return index < last ? this.store(result, expressions[index]?.start ?? 0) : result;
    });
  }

  /** Adds what was lowered after a value. The value is stored before if anything must run in between. */
  appendAfter<Result>(
    value: Evaluate,
    { items, result }: Captured<Result>,
    site: number,
  ): [Evaluate, Result] {
    const kept = items.length > 0 ? this.store(value, site) : value;
    this.append(items);
    return [kept, result];
  }

  /** Stores a value in a temporary slot. Returns the closure that reads it. */
  store(evaluate: Evaluate, site: number): Evaluate {
    const slot = this.temporary();
    this.storeInto(slot, evaluate, site);
    return readSlot(slot);
  }

  storeInto(slot: number, evaluate: Evaluate, site: number): void {
    this.effect(site, (slots) => {
      slots[slot] = evaluate(slots);
    });
  }

  /** The slot of a variable of this function, or of a cell that it captured. */
  toSlot(binding: Binding): number {
    return binding.scope === "free" ? this.freeSlot + binding.index : binding.index;
  }

  read(name: Expression<"name">): Evaluate {
    const { binding, start } = name;
    if (binding === undefined) throw new TypeError(`the name ${name.name} is not resolved`);
    const { names, values, variables } = this.module;
    const { scope, index } = binding;
    if (scope === "universal" || scope === "predeclared") {
      const value = names.get(name.name) as Value;
      return () => value;
    }
    const slot = this.toSlot(binding);
    const kind = scope === "module" ? (variables[index] as ModuleVariable).kind : "local";
    const message = `${kind} variable ${toUtf8(name.name)} referenced before assignment`;
    if (scope === "local") {
      return (slots) => {
        const value = slots[slot] as Value | undefined;
        return value === undefined ? failAt(start, message) : value;
      };
    }
    return (slots) => {
      const value = scope === "module" ? values[index] : (slots[slot] as Cell).value;
      return value === undefined ? failAt(start, message) : value;
    };
  }

  write(name: Expression<"name">): Store {
    const binding = name.binding as Binding;
    const { scope, index } = binding;
    const { values } = this.module;
    const slot = this.toSlot(binding);
    return (slots, value) => {
      if (scope === "module") values[index] = value;
      else if (scope === "local") slots[slot] = value;
      else (slots[slot] as Cell).value = value;
    };
  }
}

/** The slot of a variable that is stored in one. */
export function localSlot(expression: Expression): number | undefined {
  const inner = withoutParentheses(expression);
  return inner.kind === "name" && inner.binding?.scope === "local"
    ? inner.binding.index
    : undefined;
}
