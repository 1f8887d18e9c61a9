import { callValue } from "../run/call.ts";
import { machine, tick } from "../run/machine.ts";
import type { Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import { budget, charge, sizes } from "../values/budget.ts";
import { Cell, type Code, type Slot } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { StarlarkTuple } from "../values/sequence.ts";
import type { Value } from "../values/value.ts";
import { type CapturedItems, type Evaluate, holds } from "./assembler.ts";
import { lowerAssignment, lowerAugmentedAssignment } from "./assign.ts";
import { afterCall } from "./calls.ts";
import { FunctionContext, type Loop, type ModuleLowering } from "./context.ts";
import { lowerClosure, lowerExpression } from "./expressions.ts";
import { endLoop, lowerLoop } from "./loops.ts";

/** Turns a function into operations: each runs without a suspension, and between any two a script can be suspended. */
export function lowerFunction(
  module: ModuleLowering,
  scope: FunctionScope,
  body: readonly Statement[] | Expression,
): Code {
  const lowering = { expression: lowerExpression, lowerFunction };
  const context = new FunctionContext(module, scope, lowering);
  const { assembler } = context;
  const { start, keywordOnly } = scope;
  const { items } = assembler.capture(() => {
    for (const { binding } of scope.locals) {
      if (binding.scope !== "cell") continue;
      const { index } = binding;
      assembler.effect(start, (slots) => {
        machine.site = start;
        charge(sizes.entry);
        slots[index] = new Cell(slots[index] as Value | undefined);
      });
    }
    if ("kind" in body) assembler.effect(body.start, context.lower(body), true);
    else {
      lowerStatements(context, body);
      assembler.effect(start, () => null, true);
    }
  });
  const leaf = assembler.toEffect(items)?.run;
  assembler.append(items);
  const { operations, sites } = assembler.finish();
  const parameters = scope.parameters.filter(({ kind }) => kind !== "*" && kind !== "**");
  const rest = scope.parameters.slice(parameters.length).map(({ kind }) => kind);
  return {
    name: toUtf8(scope.name),
    parameters: parameters.map(({ name }) => name?.name ?? ""),
    keywordOnly,
    hasRest: rest.includes("*"),
    hasNamedRest: rest.includes("**"),
    simpleArity: rest.length === 0 && keywordOnly === 0 ? parameters.length : -1,
    freeSlot: context.freeSlot,
    emptyFrame: Array.from({ length: context.slotCount }, () => undefined),
    operations,
    sites,
    leaf: leaf as ((slots: Slot[]) => Value) | undefined,
    start,
    module: module.context,
  };
}

function lowerStatements(context: FunctionContext, statements: readonly Statement[]): void {
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
    case "assign": {
      const { operator, target, value, at } = statement;
      if (operator === "=") lowerAssignment(context, target, context.lower(value), at, value);
      else lowerAugmentedAssignment(context, statement);
      return;
    }
    case "def": {
      const { name, code, body, start } = statement;
      lowerAssignment(context, name, lowerClosure(context, code, body), start);
      return;
    }
    case "if":
      lowerIf(context, statement);
      return;
    case "for": {
      const { iterable, target, start: site, body } = statement;
      lowerLoop(context, { iterable, target, site }, (loop) => lowerBody(context, loop, body));
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
      const iterations = context.loops.flatMap(({ slot }) => slot ?? []);
      const run: Evaluate = (slots) => {
        const result = value(slots);
        for (const slot of iterations) endLoop(slots, slot);
        return result;
      };
      assembler.effect(statement.start, iterations.length === 0 ? value : run, true);
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

function lowerIf(context: FunctionContext, statement: Statement<"if">): void {
  const { assembler } = context;
  const capture = (body: readonly Statement[]): CapturedItems =>
    assembler.capture(() => lowerStatements(context, body)).items;
  const branches = statement.branches.map(({ condition, body, start }) => ({
    condition: context.capture(condition),
    body: capture(body),
    site: start,
  }));
  assembler.branch(branches, capture(statement.otherwise ?? []));
}

function lowerWhile(context: FunctionContext, statement: Statement<"while">): void {
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
function lowerLoad(context: FunctionContext, { module, names, start }: Statement<"load">): void {
  const slot = context.temporary();
  const args: Value[] = [module.value as string, ...names.map(({ from }) => toUtf8(from.name))];
  const { load } = context.module;
  context.assembler.control(start, (next) => (slots) => {
    machine.site = start;
    return afterCall(callValue(load, [...args], [], slots, slot), next);
  });
  for (const [index, { to }] of names.entries()) {
    const read: Evaluate = (slots) => (slots[slot] as StarlarkTuple).elements[index] as Value;
    lowerAssignment(context, to, read, start);
  }
}
