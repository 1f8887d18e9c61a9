import type { Argument, CallExpression, Expression } from "../syntax/ast.ts";

/** Built-in functions that call back if they get a key. */
const callsBack: ReadonlySet<string> = new Set(["sorted", "min", "max"]);

/** Whether a call is one of a function of the language that ends at once. */
export function isImmediateCall(call: CallExpression): boolean {
  const { callee } = call;
  if (callee.kind !== "name" || callee.binding?.scope !== "universal") return false;
  if (!callsBack.has(callee.name)) return true;
  return call.arguments.every(
    (argument) => argument.kind === "positional" || argument.name === "reverse",
  );
}

/** Whether the computation of an expression may be suspended: it has a call or a loop. */
export function canSuspend(expression: Expression | undefined): boolean {
  if (expression === undefined) return false;
  switch (expression.kind) {
    case "name":
    case "literal":
      return false;
    case "comprehension":
      return true;
    case "call":
      return !isImmediateCall(expression) || expression.arguments.some(argumentCanSuspend);
    case "binary": {
      let left: Expression = expression;
      for (; left.kind === "binary"; left = left.left) if (canSuspend(left.right)) return true;
      return canSuspend(left);
    }
    case "lambda":
      return expression.parameters.some((parameter) => canSuspend(parameter.fallback));
    default:
      return parts(expression).some(canSuspend);
  }
}

function argumentCanSuspend(argument: Argument): boolean {
  return canSuspend(argument.value);
}

function parts(
  expression: Exclude<
    Expression,
    { kind: "name" | "literal" | "comprehension" | "call" | "binary" | "lambda" }
  >,
): (Expression | undefined)[] {
  switch (expression.kind) {
    case "format":
      return expression.parts.map((part) => (typeof part === "string" ? undefined : part.value));
    case "parenthesized":
      return [expression.value];
    case "tuple":
    case "list":
      return [...expression.items];
    case "dict":
      return expression.entries.flatMap((entry) => [entry.key, entry.value]);
    case "conditional":
      return [expression.condition, expression.whenTrue, expression.whenFalse];
    case "unary":
      return [expression.operand];
    case "dot":
      return [expression.object];
    case "index":
      return [expression.object, expression.index];
    case "slice":
      return [expression.object, expression.low, expression.high, expression.step];
  }
}
