import { fail } from "../values/error.ts";
import { type StarlarkFloat, toFloat, toNumber, truncateToInt } from "../values/float.ts";
import { StarlarkModule } from "../values/function.ts";
import { type Int, isInt } from "../values/int.ts";
import type { Value } from "../values/value.ts";
import { defineFunctions, type Definitions } from "./builtin.ts";

type FloatFunctions = Readonly<Record<string, (...operands: [number, number]) => number>>;

/** Functions of floats, which accept ints as well. */
function defineFloats(parameters: string, functions: FloatFunctions): [string, Value][] {
  const definitions = Object.entries(functions).map(([name, compute]) => [
    `${name}(${parameters})`,
    (...operands: Value[]) => toFloat(compute(...(operands.map(toNumber) as [number, number]))),
  ]);
  return defineFunctions(Object.fromEntries(definitions) as Definitions<[]>, "plain errors");
}

function toInteger(value: Int | StarlarkFloat, round: (x: number) => number): Value {
  return isInt(value) ? value : truncateToInt(toFloat(round(value.value)));
}

/** The IEEE 754 remainder: the quotient is rounded to the nearest integer, halves to the even one. */
function remainder(x: number, y: number): number {
  const divisor = Math.abs(y);
  let rest = Math.abs(x) % (2 * divisor);
  if (rest > divisor - rest) {
    rest -= divisor;
    if (rest >= divisor - rest) rest -= divisor;
  }
  return Math.sign(x) * rest;
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** The gamma function (the Lanczos approximation with g = 7 and n = 9). */
function gamma(x: number): number {
  if (Number.isInteger(x) && x < 0) return Number.NaN;
  if (Number.isInteger(x) && x > 0 && x <= 171) {
    let product = 1;
    for (let factor = 2; factor < x; factor++) product *= factor;
    return product;
  }
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

const { abs, sign, exp, sqrt, acos, asin, atan, cos, sin, tan } = Math;
const { acosh, asinh, atanh, cosh, sinh, tanh } = Math;

/** The module `math` (starlark-go, `lib/math`). */
export const math: StarlarkModule = new StarlarkModule("math", [
  ...defineFunctions({
    "ceil(float or int)": (x: Int | StarlarkFloat) => toInteger(x, Math.ceil),
    "floor(float or int)": (x: Int | StarlarkFloat) => toInteger(x, Math.floor),
  }),
  ...defineFloats("float or int", {
    ...{ fabs: abs, exp, sqrt, acos, asin, atan, cos, sin, tan, gamma },
    ...{ acosh, asinh, atanh, cosh, sinh, tanh },
    degrees: (x) => (x * 180) / Math.PI,
    radians: (x) => (x * Math.PI) / 180,
    // Halves are rounded away from zero.
    round: (x) => sign(x) * Math.round(abs(x)),
  }),
  ...defineFloats("float or int, float or int?", { log }),
  ...defineFloats("float or int, float or int", {
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
