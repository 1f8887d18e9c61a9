import { signals, machine } from "../run/machine.ts";
import type { Expression, FunctionScope, Statement } from "../syntax/ast.ts";
import type { Code } from "../values/function.ts";
import { toUtf8 } from "../values/utf8.ts";
import type { Value } from "../values/value.ts";
import { FunctionContext } from "./context.ts";
import type { ModuleLowering } from "./context.ts";
import { newCell } from "./evaluate.ts";
import { lowerExpression } from "./expressions.ts";
import { lowerLeaf } from "./leaf.ts";
import { lowerStatements } from "./statements.ts";

/** Turns a function into operations: each runs without a suspension, and between any two a script can be suspended. */
export function lowerFunction(
  module: ModuleLowering,
  scope: FunctionScope,
  body: readonly Statement[] | Expression,
): Code {
  const context = new FunctionContext(module, scope, {
    expression: lowerExpression,
    lowerFunction,
  });
  const { assembler } = context;
  const leaf = module.separate ? undefined : lowerLeaf(context, body);
  if (leaf === undefined) {
    for (const { binding } of scope.locals) {
      if (binding.scope !== "cell") continue;
      const { index } = binding;
      assembler.effect(scope.start, (slots) => {
        slots[index] = newCell(slots[index] as Value | undefined);
      });
    }
    if ("kind" in body) lowerResult(context, body);
    else {
      lowerStatements(context, body);
      assembler.control(scope.start, () => () => {
        machine.value = null;
        return signals.return;
      });
    }
  }
  const { operations, sites } = assembler.finish();
  const rest = scope.parameters
    .filter(({ kind }) => kind === "*" || kind === "**")
    .map(({ kind }) => kind);
  const parameters = scope.parameters
    .slice(0, scope.parameters.length - rest.length)
    .map(({ name }) => name?.name ?? "");
  return {
    name: toUtf8(scope.name),
    parameters,
    keywordOnly: scope.keywordOnly,
    hasRest: rest.includes("*"),
    hasNamedRest: rest.includes("**"),
    simpleArity: rest.length === 0 && scope.keywordOnly === 0 ? parameters.length : -1,
    freeSlot: context.freeSlot,
    emptyFrame: Array.from({ length: context.slotCount }, () => undefined),
    operations,
    sites,
    leaf,
    start: scope.start,
    module: module.context,
  };
}

function lowerResult(context: FunctionContext, body: Expression): void {
  const value = context.lower(body);
  context.assembler.control(body.start, () => (slots) => {
    machine.value = value(slots);
    return signals.return;
  });
}
