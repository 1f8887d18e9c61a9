import type { HostValue } from "@toolweave/starlark";
import type { BuiltinArguments } from "../builtins/builtin.ts";

/** The time of all tests. */
const fixedTime: number = Date.UTC(2026, 0, 1);

/** The results of functions that are different in every run elsewhere: in a test they are always the same. */
export class FixedSource {
  #seed = 1;
  #ids = 0;

  readonly #functions: Readonly<Record<string, (args: BuiltinArguments) => HostValue>> = {
    "time.now": () => fixedTime,
    "time.iso": () => new Date(fixedTime).toISOString(),
    "random.int": ({ low, high }) =>
      Number(low) + Math.floor(this.#random() * (Number(high) - Number(low) + 1)),
    "random.float": () => this.#random(),
    "uuid.v4": () => `00000000-0000-4000-8000-${String(++this.#ids).padStart(12, "0")}`,
    "env.get": ({ default: fallback }) => fallback,
  };

  /** Whether the function has a fixed result. */
  has(name: string): boolean {
    return Object.hasOwn(this.#functions, name);
  }

  call(name: string, args: BuiltinArguments): HostValue {
    return this.#functions[name]?.(args);
  }

  /** A linear congruential generator: the numbers only have to look different. */
  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}
