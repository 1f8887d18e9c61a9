import { callValue } from "../run/call.ts";
import { machine, signals } from "../run/machine.ts";
import type { Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import { charge, sizes } from "../values/budget.ts";
import type { Code } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import { Label, readSlot } from "./assembler.ts";
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
  const context = new FunctionContext(module, scope, { lowerExpression, lowerFunction });
  const { start, keywordOnly } = scope;
  for (const { scope: kind, index } of scope.locals) {
    if (kind !== "cell") continue;
    context.effect(start, (slots) => {
      machine.site = start;
      charge(sizes.entry);
      slots[index] = { value: slots[index] as Value | undefined };
    });
  }
  if ("kind" in body) lowerReturn(context, body, body.start);
  else {
    lowerStatements(context, body);
    lowerReturn(context, undefined, start);
  }
  const kinds = scope.parameters.map(({ kind }) => kind);
  const parameters = scope.parameters.filter(({ kind }) => kind !== "*" && kind !== "**");
  return {
    name: toUtf8(scope.name),
    parameters: parameters.map(({ name }) => name?.name ?? ""),
    keywordOnly,
    restSlot: kinds.indexOf("*"),
    namedRestSlot: kinds.indexOf("**"),
    freeSlot: context.freeSlot,
    emptyFrame: Array.from({ length: context.slotCount }, () => undefined),
    ...context.finish(),
    module: module.context,
  };
}

function lowerStatements(context: FunctionContext, statements: readonly Statement[]): void {
  for (const statement of statements)
    context.withTemporaries(() => lowerStatement(context, statement));
}

function lowerStatement(context: FunctionContext, statement: Statement): void {
  const { start } = statement;
  switch (statement.kind) {
    case "pass":
      return;
    case "expression":
      if (statement.value.kind !== "literal") context.effect(start, context.lower(statement.value));
      return;
    case "assign": {
      const { operator, target, value, at } = statement;
      if (operator !== "=") return lowerAugmentedAssignment(context, statement);
      return lowerAssignment(context, target, context.lower(value), at, value);
    }
    case "def": {
      const { name, code, body } = statement;
      return lowerAssignment(context, name, lowerClosure(context, code, body), start);
    }
    case "if": {
      const branches = statement.branches.map(({ condition, body, start: site }) => ({
        site,
        condition: () => context.lower(condition),
        body: () => lowerStatements(context, body),
      }));
      return context.branch(branches, () => lowerStatements(context, statement.otherwise ?? []));
    }
    case "for": {
      const { iterable, target, body } = statement;
      return lowerLoop(context, { iterable, target, site: start }, (loop) =>
        lowerBody(context, loop, body),
      );
    }
    case "while": {
      const loop = { head: new Label(), exit: new Label() };
      context.place(loop.head);
      context.round(start, context.lower(statement.condition), loop.exit);
      lowerBody(context, loop, statement.body);
      context.jump(start, loop.head);
      context.place(loop.exit);
      return;
    }
    case "break":
      return context.jump(start, (context.loops.at(-1) as Loop).exit);
    case "continue":
      return context.jump(start, (context.loops.at(-1) as Loop).head);
    case "return":
      return lowerReturn(context, statement.value, start);
    case "load":
      return lowerLoad(context, statement);
  }
}

function lowerBody(context: FunctionContext, loop: Loop, body: readonly Statement[]): void {
  context.loops.push(loop);
  lowerStatements(context, body);
  context.loops.pop();
}

function lowerReturn(context: FunctionContext, result: Expression | undefined, site: number): void {
  const value = context.lower(result);
  const iterations = context.loops.flatMap(({ slot }) => slot ?? []);
  context.control(site, () => (slots) => {
    machine.value = value(slots);
    for (const slot of iterations) endLoop(slots, slot);
    return signals.return;
  });
}

/** `load` is a call of the host that returns a tuple with the values of the names. */
function lowerLoad(context: FunctionContext, { module, names, start }: Statement<"load">): void {
  const slot = context.temporary();
  const args: Value[] = [module.value as string, ...names.map(({ from }) => toUtf8(from.name))];
  const { load } = context.module;
  context.control(start, (next) => (slots) => {
    machine.site = start;
    return afterCall(callValue(load, [...args], [], slots, slot), next);
  });
  const items = names.map(({ to }) => to);
  lowerAssignment(context, { kind: "tuple", start, end: start, items }, readSlot(slot), start);
}
