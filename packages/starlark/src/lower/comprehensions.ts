import type { ComprehensionExpression } from "../syntax/ast.ts";
import { StarlarkDict, toDict } from "../values/dict.ts";
import { StarlarkList, toList } from "../values/list.ts";
import { readSlot } from "./context.ts";
import type { FunctionContext } from "./context.ts";
import { holds, setEntryAt } from "./evaluate.ts";
import type { Evaluate } from "./evaluate.ts";
import { lowerLoop } from "./loops.ts";

/** The closure of a comprehension, after the operations of its loops. */
export function lowerComprehension(
  context: FunctionContext,
  expression: ComprehensionExpression,
): Evaluate {
  const { body } = expression;
  const result = context.temporary();
  const isDict = "key" in body;
  context.assembler.effect(expression.start, (slots) => {
    slots[result] = isDict ? toDict() : toList([]);
  });
  lowerClauses(context, expression, 0, () => {
    if (isDict) {
      const [key, value] = context.operands([body.key, body.value]) as [Evaluate, Evaluate];
      context.assembler.effect(body.at, (slots) =>
        setEntryAt(slots[result] as StarlarkDict, key(slots), value(slots), body.at),
      );
    } else {
      const item = context.lower(body);
      context.assembler.effect(body.start, (slots) =>
        (slots[result] as StarlarkList).append(item(slots)),
      );
    }
  });
  return readSlot(result);
}

function lowerClauses(
  context: FunctionContext,
  expression: ComprehensionExpression,
  index: number,
  body: () => void,
): void {
  const clause = expression.clauses[index];
  if (clause === undefined) {
    body();
    return;
  }
  const { assembler } = context;
  if (clause.kind === "for") {
    const { iterable, target, start } = clause;
    lowerLoop(context, { iterable, target, site: start }, () =>
      lowerClauses(context, expression, index + 1, body),
    );
    return;
  }
  const condition = context.lower(clause.condition);
  const skip = assembler.label();
  assembler.control(clause.start, (next) => {
    const { index: target } = skip;
    return (slots) => (holds(condition(slots)) ? next : target);
  });
  lowerClauses(context, expression, index + 1, body);
  assembler.place(skip);
}
