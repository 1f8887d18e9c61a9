import { hostFunction, type HostValue, type Value } from "@toolweave/starlark";
import { builtinsFor, predeclared } from "../builtins/table.ts";
import { reject } from "../builtins/fault.ts";

/** The functions and modules of the language that a model's script has beside the tools, by name. */
const languageNames: readonly string[] = [
  ...new Set(
    builtinsFor("session").flatMap(({ module, name, capability }) =>
      // Nothing of the host: neither its log and variables, nor what outlives the script.
      capability === undefined && !["log", "cache", "env"].includes(module ?? "")
        ? [module ?? name]
        : [],
    ),
  ),
];

/** The names of the language itself. */
const universe: readonly string[] = (
  "None True False abs any all bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord " +
  "print range repr reversed set sorted str tuple type zip"
).split(" ");

/** Names that no tool takes. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...languageNames,
  ...universe,
  "call_tool",
  "meta",
  "sum",
  "tools",
]);

/** The values of the names that every script has; the tools are not among them. */
export function languageValues(): Record<string, Value> {
  return (cached ??= {
    ...Object.fromEntries(
      languageNames.map((name) => [name, predeclared("session")[name] as Value]),
    ),
    sum: hostFunction("sum", ([items, start]) => sum(items, start), { effect: false }),
  });
}

let cached: Record<string, Value> | undefined;

/** The modules and functions of `languageValues`, for descriptions. */
export const sessionNames: readonly string[] = languageNames;

function sum(items: HostValue, start: HostValue = 0): HostValue {
  let total = toNumber(start);
  const list: readonly HostValue[] =
    Array.isArray(items) || items instanceof Set
      ? Array.from(items as Iterable<HostValue>)
      : reject("sum: the argument is no list");
  for (const item of list) {
    const value = toNumber(item);
    if (typeof total === "number" && typeof value === "number") {
      const next = total + value;
      const isExact =
        Number.isSafeInteger(next) || !Number.isInteger(total) || !Number.isInteger(value);
      total = isExact ? next : BigInt(total) + BigInt(value);
    } else if (Number.isInteger(Number(total)) && Number.isInteger(Number(value))) {
      total = BigInt(total) + BigInt(value);
    } else total = Number(total) + Number(value);
  }
  return total;
}

function toNumber(value: HostValue): number | bigint {
  return typeof value === "number" || typeof value === "bigint"
    ? value
    : reject("sum: the list holds a value that is no number");
}
