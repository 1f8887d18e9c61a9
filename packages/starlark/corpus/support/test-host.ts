import { areEqual, compareValues } from "../../src/values/compare.ts";
import { toRepr, toText } from "../../src/values/format.ts";
import { Builtin, StarlarkModule } from "../../src/values/function.ts";
import { StarlarkFloat } from "../../src/values/float.ts";
import { toOperator } from "../../src/values/operators.ts";
import { fromUtf8 } from "../../src/values/utf8.ts";
import { freezeValue, isTrue, StarlarkObject } from "../../src/values/value.ts";
import type { Value } from "../../src/values/value.ts";
import { math } from "../../src/lib/math.ts";
import { fail } from "../../src/values/error.ts";
import { Thread } from "../../src/run/thread.ts";

const isIn = toOperator("in");

/** A value with fields, as the tests of starlark-go define it. */
class HasFields extends StarlarkObject {
  override readonly type = "hasfields";
  readonly #fields = new Map<string, Value>();
  #frozen = false;

  override freeze(): Iterable<Value> {
    this.#frozen = true;
    return this.#fields.values();
  }

  override attribute(name: string): Value | undefined {
    return this.#fields.get(name);
  }

  override attributeNames(): readonly string[] {
    return [...this.#fields.keys()].sort();
  }

  override setAttribute(name: string, value: Value): boolean {
    if (this.#frozen) fail("cannot set field on a frozen hasfields");
    if (name.startsWith("no"))
      fail(`no .${name} field (did you mean .${name.slice(2).toLowerCase()}?)`);
    this.#fields.set(name, value);
    return true;
  }

  override binary(operator: string, other: Value, left: boolean): Value | undefined {
    return operator === "+" && !left && (other as StarlarkObject).type === "list" ? 42 : undefined;
  }

  override represent(): string {
    return "hasfields";
  }
}

/** Reports the failures of assertions. */
export type Report = (message: string) => void;

/** The modules `assert.star` and `math.star`, and the names that the tests expect. */
export function testHost(
  report: Report,
  stepwise: boolean,
): {
  readonly load: (name: string) => { readonly globals: ReadonlyMap<string, Value> };
  readonly predeclared: Record<string, Value>;
} {
  const builtin = (
    name: string,
    call: (...args: Value[]) => Value | Promise<Value>,
  ): [string, Builtin] => [name, new Builtin(name, (args) => call(...args))];
  const show = (value: Value | undefined): string => fromUtf8(toRepr(value ?? null));
  const assert = new StarlarkModule("assert", [
    builtin("eq", (x, y) =>
      areEqual(x as Value, y as Value) ? null : (report(`${show(x)} != ${show(y)}`), null),
    ),
    builtin("ne", (x, y) =>
      areEqual(x as Value, y as Value) ? (report(`${show(x)} == ${show(y)}`), null) : null,
    ),
    builtin("lt", (x, y) =>
      compareValues("<", x as Value, y as Value)
        ? null
        : (report(`${show(x)} is not less than ${show(y)}`), null),
    ),
    builtin("true", (x, message) =>
      isTrue(x as Value) ? null : (report(`not true: ${show(message)}`), null),
    ),
    builtin("contains", (x, y) =>
      isIn(y as Value, x as Value) === true ? null : (report(`${show(x)} lacks ${show(y)}`), null),
    ),
    builtin("fail", (message) => (report(fromUtf8(toText(message as Value))), null)),
    builtin("fails", async (fn, pattern) => {
      await Promise.resolve();
      const wanted = fromUtf8(pattern as string);
      try {
        await new Thread({ stepwise }).call(fn as Value, []);
        report(`evaluation succeeded unexpectedly (want error matching ${wanted})`);
      } catch (error) {
        const { message } = error as Error;
        if (!new RegExp(wanted).test(message)) report(`${message} does not match ${wanted}`);
      }
      return null;
    }),
  ]);
  const freeze = new Builtin("freeze", (args) => {
    freezeValue(args[0] as Value);
    return args[0] as Value;
  });
  const floatEqual = builtin(
    "_floateq",
    (x, y) => (x as StarlarkFloat).value === (y as StarlarkFloat).value,
  );
  return {
    load: (name) => {
      if (name === "math.star") return { globals: new Map([["math", math as Value]]) };
      return {
        globals: new Map<string, Value>([["assert", assert], ["freeze", freeze], floatEqual]),
      };
    },
    predeclared: { hasfields: new Builtin("hasfields", () => new HasFields()) },
  };
}
