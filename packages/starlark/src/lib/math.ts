import { fail } from "../values/error.ts";
import { toFloat, toNumber, truncateToInt } from "../values/float.ts";
import { Builtin, StarlarkModule } from "../values/function.ts";
import { isInt } from "../values/int.ts";
import { type NamedArguments, typeName, type Value } from "../values/value.ts";
import { argumentReader, withName } from "./builtin.ts";

function toOperand(name: string, value: Value, index: number): number {
  const number = toNumber(value);
  return (
    number ?? fail(`${name}: for parameter ${index + 1}: got ${typeName(value)}, want float or int`)
  );
}

/** Functions of floats, which accept ints as well. */
function define(
  parameters: string,
  functions: Readonly<Record<string, (...operands: [number, number]) => number>>,
): [string, Value][] {
  return Object.entries(functions).map(([name, compute]) => {
    const read = argumentReader(name, parameters);
    const call = (args: Value[], named: NamedArguments): Value => {
      const operands = (read(args, named) as Value[]).map((value, index) =>
        toOperand(name, value, index),
      );
      return toFloat(compute(...(operands as [number, number])));
    };
    return [name, new Builtin(name, call)];
  });
}

function rounding(name: string, compute: (x: number) => number): [string, Value] {
  const read = argumentReader(name, "any");
  const call = (args: Value[], named: NamedArguments): Value => {
    const [value] = read(args, named) as [Value];
    if (isInt(value)) return value;
    const number = toOperand(name, value, 0);
    return withName(name, () => truncateToInt(toFloat(compute(number))));
  };
  return [name, new Builtin(name, call)];
}

/** The IEEE 754 remainder: the quotient is rounded to the nearest even integer. */
function remainder(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y) || !Number.isFinite(x) || y === 0) return Number.NaN;
  if (!Number.isFinite(y)) return x;
  const divisor = Math.abs(y);
  let rest = Math.abs(x) % (divisor * 2 === Infinity ? divisor : divisor * 2);
  if (rest > divisor / 2) rest -= divisor;
  if (rest > divisor / 2) rest -= divisor;
  return x < 0 ? -rest : rest;
}

/** Rounds to the nearest integer, halves away from zero. */
function round(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x;
  const down = Math.floor(Math.abs(x));
  const rounded = Math.abs(x) - down >= 0.5 ? down + 1 : down;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** The gamma function (the Lanczos approximation with g = 7 and n = 9). */
function gamma(x: number): number {
  if (x === -Infinity || (Number.isInteger(x) && x < 0)) return Number.NaN;
  if (Number.isInteger(x) && x > 0 && x <= 171) {
    let product = 1;
    for (let factor = 2; factor < x; factor++) product *= factor;
    return product;
  }
  if (x === 0) return 1 / x;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return Infinity;
  let sum = lanczos[0] as number;
  for (let index = 1; index < lanczos.length; index++)
    sum += (lanczos[index] as number) / (x - 1 + index);
  const base = x + 6.5;
  // The power is taken in two halves, so that it does not overflow before the exponential.
  const half = base ** ((x - 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * half * Math.exp(-base) * half * sum;
}

function log(x: number, base?: number): number {
  if (base === 1) fail("division by zero");
  return base === undefined ? Math.log(x) : Math.log(x) / Math.log(base);
}

const { abs, exp, sqrt, acos, asin, atan, cos, sin, tan, acosh, asinh, atanh, cosh, sinh, tanh } =
  Math;

/** The module `math` (starlark-go, `lib/math`). */
export const math: StarlarkModule = new StarlarkModule("math", [
  rounding("ceil", Math.ceil),
  rounding("floor", Math.floor),
  ...define("any", { fabs: abs, round, exp, sqrt, acos, asin, atan, cos, sin, tan, gamma }),
  ...define("any", { acosh, asinh, atanh, cosh, sinh, tanh }),
  ...define("any", { degrees: (x) => (x * 180) / Math.PI, radians: (x) => (x * Math.PI) / 180 }),
  ...define("any, any?", { log }),
  ...define("any, any", {
    copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -abs(x) : abs(x)),
    mod: (x, y) => x % y,
    pow: (x, y) => (x === 1 || (x === -1 && abs(y) === Infinity) ? 1 : x ** y),
    remainder,
    atan2: Math.atan2,
    hypot: Math.hypot,
  }),
  ["e", toFloat(Math.E)],
  ["pi", toFloat(Math.PI)],
]);
