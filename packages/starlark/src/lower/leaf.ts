import type { Expression, IfStatement, Statement } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import type { Slot } from "../values/function.ts";
import type { Value } from "../values/value.ts";
import { lowerStore } from "./assign.ts";
import type { FunctionContext } from "./context.ts";
import { holds } from "./evaluate.ts";
import { canSuspend } from "./suspension.ts";

/** Runs statements. Returns the value of a `return`, `undefined` if there was none. */
type Run = (slots: Slot[]) => Value | undefined;

const maxStatements = 20;

/**
 * The body of a function as one closure. `undefined` if it has calls or loops, which may be suspended, or variables of
 * nested functions. A call of such a function needs no frame.
 */
export function lowerLeaf(
  context: FunctionContext,
  body: readonly Statement[] | Expression,
): ((slots: Slot[]) => Value) | undefined {
  if (context.scope.locals.some(({ binding }) => binding.scope === "cell")) return undefined;
  if ("kind" in body) return canSuspend(body) ? undefined : context.lower(body);
  if (!isLeaf(body, { statements: 0 })) return undefined;
  const run = lowerRun(context, body);
  return (slots) => run(slots) ?? null;
}

function isLeaf(statements: readonly Statement[], count: { statements: number }): boolean {
  count.statements += statements.length;
  if (count.statements > maxStatements) return false;
  return statements.every((statement) => {
    switch (statement.kind) {
      case "pass":
        return true;
      case "expression":
      case "return":
        return !canSuspend(statement.value);
      case "assign":
        return (
          statement.operator === "=" &&
          !canSuspend(statement.target) &&
          !canSuspend(statement.value)
        );
      case "if":
        return (
          statement.branches.every(
            (branch) => !canSuspend(branch.condition) && isLeaf(branch.body, count),
          ) && isLeaf(statement.otherwise ?? [], count)
        );
      default:
        return false;
    }
  });
}

function lowerRun(context: FunctionContext, statements: readonly Statement[]): Run {
  const runs = statements.flatMap((statement) => lowerOne(context, statement) ?? []);
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return only;
  return (slots) => {
    for (const run of runs) {
      const value = run(slots);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

function lowerOne(context: FunctionContext, statement: Statement): Run | undefined {
  switch (statement.kind) {
    case "expression": {
      const evaluate = context.lower(statement.value);
      return (slots) => {
        evaluate(slots);
        return undefined;
      };
    }
    case "return":
      return statement.value === undefined
        ? () => null
        : context.lower(withoutParentheses(statement.value));
    case "assign": {
      const value = context.lower(statement.value);
      const store = lowerStore(context, statement.target, statement.at);
      return (slots) => {
        store?.(slots, value(slots));
        return undefined;
      };
    }
    case "if":
      return lowerBranches(context, statement);
    default:
      return undefined;
  }
}

function lowerBranches(context: FunctionContext, statement: IfStatement): Run {
  const branches = statement.branches.map(({ condition, body }) => ({
    condition: context.lower(condition),
    run: lowerRun(context, body),
  }));
  const otherwise = lowerRun(context, statement.otherwise ?? []);
  return (slots) => {
    for (const { condition, run } of branches) if (holds(condition(slots))) return run(slots);
    return otherwise(slots);
  };
}
