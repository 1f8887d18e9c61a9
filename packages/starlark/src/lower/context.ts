import type {
  Binding,
  Expression,
  FunctionScope,
  NameExpression,
  Statement,
} from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import { Cell } from "../values/function.ts";
import type { Builtin, Code, ModuleContext, Slot } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import type { ModuleVariable } from "../resolve/scope.ts";
import { Assembler } from "./assembler.ts";
import type { Label } from "./assembler.ts";
import type { Operand } from "./arithmetic.ts";
import { failAt } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { canSuspend } from "./suspension.ts";

/** The context of all functions of a module while they are lowered. */
export interface ModuleLowering {
  readonly context: ModuleContext;
  /** The variables of the module, and their values while it runs. */
  readonly variables: readonly ModuleVariable[];
  readonly values: (Value | undefined)[];
  readonly predeclared: ReadonlyMap<string, Value>;
  readonly universe: ReadonlyMap<string, Value>;
  /** Whether each statement is an operation of its own. */
  readonly separate: boolean;
  /** The function behind `load`. */
  readonly load: Builtin;
}

/** A loop around a statement: where `continue` and `break` go, and the slot of its iteration. */
export interface Loop {
  readonly head: Label;
  readonly exit: Label;
}

/** One function while it is lowered: its slots and its operations. */
export class FunctionContext {
  readonly module: ModuleLowering;
  readonly scope: FunctionScope;
  readonly assembler: Assembler;
  readonly freeSlot: number;
  readonly loops: Loop[] = [];
  /** The slots of the loops that a `return` ends. */
  readonly iterations: number[] = [];
  readonly expression: (context: FunctionContext, expression: Expression) => Evaluate;
  readonly lowerFunction: (
    module: ModuleLowering,
    scope: FunctionScope,
    body: readonly Statement[] | Expression,
  ) => Code;
  #nextTemporary: number;
  #slotCount: number;

  constructor(
    module: ModuleLowering,
    scope: FunctionScope,
    lowering: Pick<FunctionContext, "expression" | "lowerFunction">,
  ) {
    this.module = module;
    this.scope = scope;
    this.assembler = new Assembler(!module.separate);
    this.freeSlot = scope.locals.length;
    this.#nextTemporary = this.freeSlot + scope.free.length;
    this.#slotCount = this.#nextTemporary;
    this.expression = lowering.expression;
    this.lowerFunction = lowering.lowerFunction;
  }

  get slotCount(): number {
    return this.#slotCount;
  }

  /** A slot for a value between operations. */
  temporary(): number {
    const slot = this.#nextTemporary++;
    this.#slotCount = Math.max(this.#slotCount, this.#nextTemporary);
    return slot;
  }

  /** Runs `lower`; the temporary slots that it takes are free afterwards. */
  withTemporaries<Result>(lower: () => Result): Result {
    const saved = this.#nextTemporary;
    const result = lower();
    this.#nextTemporary = saved;
    return result;
  }

  /** The closure of an expression, after the operations that must run before it. */
  lower(expression: Expression): Evaluate {
    return this.expression(this, expression);
  }

  /**
   * The closures of expressions that are computed from left to right. If a later one can be suspended, the values of the
   * earlier ones are stored before.
   */
  operands(expressions: readonly Expression[]): Evaluate[] {
    const last = expressions.findLastIndex(canSuspend);
    return expressions.map((expression, index) => {
      const evaluate = this.lower(expression);
      return index < last && !this.#isStable(expression)
        ? this.store(evaluate, expression.start)
        : evaluate;
    });
  }

  /** Stores a value in a temporary slot. Returns the closure that reads it. */
  store(evaluate: Evaluate, site: number): Evaluate {
    const slot = this.temporary();
    this.assembler.effect(site, (slots) => {
      slots[slot] = evaluate(slots);
    });
    return readSlot(slot);
  }

  /** Whether a value is the same whenever it is computed. */
  #isStable(expression: Expression): boolean {
    const inner = withoutParentheses(expression);
    if (inner.kind === "literal") return true;
    return (
      inner.kind === "name" &&
      (inner.binding?.scope === "universal" || this.isParameter(inner.binding))
    );
  }

  /** Whether a variable always has a value. */
  isParameter(binding: Binding | undefined): boolean {
    return binding?.scope === "local" && binding.index < this.scope.parameters.length;
  }

  /** The slot of a variable of this function, or of a cell that it captured. */
  toSlot(binding: Binding): number {
    return binding.scope === "free" ? this.freeSlot + binding.index : binding.index;
  }

  /** An operand of an operator, with its slot or its constant if it has one. */
  operand(expression: Expression, evaluate: Evaluate): Operand {
    const inner = withoutParentheses(expression);
    if (
      inner.kind === "literal" &&
      typeof inner.value === "number" &&
      inner.token === "int literal"
    ) {
      return { evaluate, constant: inner.value };
    }
    if (inner.kind === "name" && inner.binding?.scope === "local")
      return { evaluate, slot: inner.binding.index };
    return { evaluate };
  }

  /** Reads a variable. */
  read(name: NameExpression): Evaluate {
    const { binding, start: site } = name;
    if (binding === undefined) throw new TypeError(`the name ${name.name} is not resolved`);
    if (binding.scope === "universal" || binding.scope === "predeclared") {
      const { predeclared, universe } = this.module;
      const value = (binding.scope === "universal" ? universe : predeclared).get(
        name.name,
      ) as Value;
      return () => value;
    }
    if (binding.scope === "module") return this.#readModule(binding.index, site);
    const slot = this.toSlot(binding);
    if (this.isParameter(binding)) return readSlot(slot);
    const message = `local variable ${toUtf8(name.name)} referenced before assignment`;
    if (binding.scope === "local") {
      return (slots) => {
        const value = slots[slot];
        return value === undefined ? failAt(site, message) : (value as Value);
      };
    }
    return (slots) => {
      const { value } = slots[slot] as Cell;
      return value === undefined ? failAt(site, message) : value;
    };
  }

  #readModule(index: number, site: number): Evaluate {
    const { values, variables } = this.module;
    const variable = variables[index] as ModuleVariable;
    const message = `${variable.kind} variable ${toUtf8(variable.name)} referenced before assignment`;
    return () => {
      const value = values[index];
      return value === undefined ? failAt(site, message) : value;
    };
  }

  /** Assigns a variable. */
  write(name: NameExpression): (slots: Slot[], value: Value) => void {
    const binding = name.binding as Binding;
    if (binding.scope === "module") {
      const { values } = this.module;
      const { index } = binding;
      return (_, value) => {
        values[index] = value;
      };
    }
    const slot = this.toSlot(binding);
    if (binding.scope === "local") {
      return (slots, value) => {
        slots[slot] = value;
      };
    }
    return (slots, value) => {
      (slots[slot] as Cell).value = value;
    };
  }
}

/** Reads a slot that has a value. */
export function readSlot(slot: number): Evaluate {
  return (slots) => slots[slot] as Value;
}
