import { machine } from "../run/machine.ts";
import type { Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import { charge, sizes } from "../values/budget.ts";
import { Cell, type Code, type Slot } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import { FunctionContext, type ModuleLowering } from "./context.ts";
import { lowerExpression } from "./expressions.ts";
import { lowerStatements } from "./statements.ts";

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
