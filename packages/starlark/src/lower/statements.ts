import { signals, machine, tick } from "../run/machine.ts";
import { acceptResult, completed, runBuiltin } from "../run/call.ts";
import type {
  DefStatement,
  IfStatement,
  LoadStatement,
  Statement,
  WhileStatement,
} from "../syntax/ast.ts";
import { budget } from "../values/budget.ts";
import type { Value } from "../values/value.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { StarlarkTuple } from "../values/tuple.ts";
import { lowerAssignment, lowerAugmentedAssignment } from "./assign.ts";
import type { Loop, FunctionContext } from "./context.ts";
import { readSlot } from "./context.ts";
import type { CapturedItems, Effect } from "./assembler.ts";
import { holds } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { canSuspend } from "./suspension.ts";
import { lowerClosure } from "./expressions.ts";
import { endLoop, lowerLoop } from "./loops.ts";

/** Adds the operations of statements. */
export function lowerStatements(context: FunctionContext, statements: readonly Statement[]): void {
  for (const statement of statements)
    context.withTemporaries(() => lowerStatement(context, statement));
}

function lowerStatement(context: FunctionContext, statement: Statement): void {
  const { assembler } = context;
  switch (statement.kind) {
    case "pass":
      return;
    case "expression": {
      if (statement.value.kind === "literal") return;
      const evaluate = context.lower(statement.value);
      assembler.effect(statement.start, (slots) => void evaluate(slots));
      return;
    }
    case "assign":
      if (statement.operator !== "=") lowerAugmentedAssignment(context, statement);
      else {
        const value = context.lower(statement.value);
        const { slot } = context.operand(statement.value, value);
        lowerAssignment(context, statement.target, value, statement.at, slot);
      }
      return;
    case "def":
      lowerDef(context, statement);
      return;
    case "if":
      lowerIf(context, statement);
      return;
    case "for": {
      const { iterable, target, start: site, body } = statement;
      lowerLoop(context, { iterable, target, site }, (labels) => lowerBody(context, labels, body));
      return;
    }
    case "while":
      lowerWhile(context, statement);
      return;
    case "break":
      assembler.jump((context.loops.at(-1) as Loop).exit);
      return;
    case "continue":
      assembler.jump((context.loops.at(-1) as Loop).head);
      return;
    case "return": {
      const value = statement.value === undefined ? () => null : context.lower(statement.value);
      const iterations = [...context.iterations];
      assembler.control(statement.start, () => (slots) => {
        machine.value = value(slots);
        for (const slot of iterations) endLoop(slots, slot);
        return signals.return;
      });
      return;
    }
    case "load":
      lowerLoad(context, statement);
  }
}

function lowerBody(context: FunctionContext, loop: Loop, body: readonly Statement[]): void {
  context.loops.push(loop);
  lowerStatements(context, body);
  context.loops.pop();
}

function lowerDef(context: FunctionContext, statement: DefStatement): void {
  if (statement.code === undefined) throw new TypeError("a function is not resolved");
  const code = context.lowerFunction(context.module, statement.code, statement.body);
  const evaluate = lowerClosure(context, code, statement.code.parameters, statement.code.free);
  lowerAssignment(context, statement.name, evaluate, statement.start);
}

function lowerIf(context: FunctionContext, statement: IfStatement): void {
  const { assembler } = context;
  const bodies = [...statement.branches.map(({ body }) => body), statement.otherwise ?? []].map(
    (body) => assembler.capture(() => lowerStatements(context, body)),
  );
  const effects = bodies.map((items) => assembler.toEffect(items));
  const simple = statement.branches.every(({ condition }) => !canSuspend(condition));
  if (simple && !effects.includes(undefined)) {
    const conditions = statement.branches.map(({ condition }) => context.lower(condition));
    assembler.effect(statement.start, chooseEffect(conditions, effects as Effect[]));
    return;
  }
  const end = assembler.label();
  for (const [index, branch] of statement.branches.entries()) {
    const other = assembler.label();
    context.withTemporaries(() => {
      const condition = context.lower(branch.condition);
      assembler.control(branch.start, (next) => {
        const { index: target } = other;
        return (slots) => (holds(condition(slots)) ? next : target);
      });
    });
    assembler.append(bodies[index] as CapturedItems);
    const isLast = index === statement.branches.length - 1 && statement.otherwise === undefined;
    if (!isLast) assembler.jump(end);
    assembler.place(other);
  }
  assembler.append(bodies.at(-1) as CapturedItems);
  assembler.place(end);
}

/** The effect of the first condition that holds; the last effect if none does. */
function chooseEffect(conditions: readonly Evaluate[], effects: readonly Effect[]): Effect {
  const [condition] = conditions as [Evaluate];
  const otherwise = effects.at(-1) as Effect;
  if (conditions.length === 1) {
    const [effect] = effects as [Effect];
    return (slots) => {
      if (holds(condition(slots))) effect(slots);
      else otherwise(slots);
    };
  }
  return (slots) => {
    const index = conditions.findIndex((evaluate) => holds(evaluate(slots)));
    (effects.at(index) as Effect)(slots);
  };
}

function lowerWhile(context: FunctionContext, statement: WhileStatement): void {
  const { assembler } = context;
  const head = assembler.label();
  const exit = assembler.label();
  assembler.place(head);
  const condition = context.lower(statement.condition);
  assembler.control(statement.start, (next) => {
    const { index: target } = exit;
    return (slots) => {
      if (!holds(condition(slots))) return target;
      return --budget.fuel < 0 ? tick(next) : next;
    };
  });
  lowerBody(context, { head, exit }, statement.body);
  assembler.jump(head);
  assembler.place(exit);
}

/** `load` is a call of the host that returns the values of the names. */
function lowerLoad(context: FunctionContext, statement: LoadStatement): void {
  const { assembler, module } = context;
  const slot = context.temporary();
  const args: Value[] = [
    statement.module.value as string,
    ...statement.names.map(({ from }) => toUtf8(from.name)),
  ];
  const { load } = module;
  assembler.control(statement.start, (next) => (slots) => {
    const result = runBuiltin(load.name, load.call, [...args], []);
    const signal = acceptResult(result, load.name, slots, slot);
    return signal === completed ? next : signal;
  });
  const loaded = readSlot(slot);
  for (const [index, { to }] of statement.names.entries()) {
    lowerAssignment(
      context,
      to,
      (slots) => (loaded(slots) as StarlarkTuple).elements[index] as Value,
      statement.start,
    );
  }
}
