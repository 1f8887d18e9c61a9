import { type HostValue } from "@toolweave/starlark";
import { nearNames } from "@toolweave/core/adapter";
import { qualifiedName } from "../builtins/bind.ts";
import type { BuiltinArguments, BuiltinFunction } from "../builtins/builtin.ts";
import { builtins } from "../builtins/table.ts";
import { fault } from "../builtins/fault.ts";

/** The answer of a mocked function. */
export type MockAnswer =
  | { readonly kind: "value"; readonly value: HostValue }
  | { readonly kind: "error"; readonly message: string }
  /** The function of the test that computes the value. */
  | { readonly kind: "call"; readonly call: MockFunction };

/** A function of a test, called with the arguments of the script. */
export type MockFunction = (
  positional: readonly HostValue[],
  named: Readonly<Record<string, HostValue>>,
) => Promise<HostValue>;

/** The arguments of `t.mock` behind the name. */
export interface MockDefinition {
  readonly returns?: HostValue;
  readonly raises?: string;
  readonly calls?: MockFunction;
}

interface Mock {
  readonly answers: readonly MockAnswer[];
  /** The last answer is for all further calls. */
  readonly repeats: boolean;
  used: number;
}

/** Functions whose result a test can replace: all that do not depend on their arguments alone. */
const mockable = new Map(
  builtins.flatMap((fn) =>
    fn.call === undefined || fn.isPure ? [] : [[qualifiedName(fn), fn] as const],
  ),
);

/** The members that a mocked result has if the test leaves them out. */
function completeResult(name: string, value: HostValue): HostValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, HostValue>>;
  if (name === "exec.run") {
    const exitCode = given["exit_code"] ?? (given["ok"] === false ? 1 : 0);
    const ok = exitCode === 0;
    const rest = { stdout: "", stderr: "", duration_ms: 0, timed_out: false };
    return { ...rest, ok, exit_code: exitCode, ...given };
  }
  if (name.startsWith("http.")) {
    const status = given["status"] ?? (given["ok"] === false ? 500 : 200);
    const ok = Number(status) >= 200 && Number(status) < 300;
    return { status, ok, url: "", headers: {}, body: "", ...given };
  }
  return value;
}

/** The mocks of one test, and the calls that scripts have made. */
export class Mocks {
  readonly #mocks = new Map<string, Mock>();
  readonly #calls: { readonly name: string; readonly args: BuiltinArguments }[] = [];

  /**
   * Replaces the result of a function. `returns` is a value, or a list of the values of successive calls; the values of a
   * function that returns a list are lists themselves.
   *
   * @throws StarlarkError for a function that cannot be mocked, and for a value that it cannot return.
   */
  set(name: string, { returns, raises, calls }: MockDefinition): void {
    const fn = toMockable(name);
    const given = [returns, raises, calls].filter((each) => each !== undefined).length;
    if (given > 1) throw fault("t.mock: returns, raises and calls exclude each other");
    if (raises !== undefined) {
      this.#mocks.set(name, always({ kind: "error", message: raises }));
    } else if (calls !== undefined) {
      this.#mocks.set(name, always({ kind: "call", call: calls }));
    } else if (isSuccessive(fn, returns)) {
      const answers = (returns as readonly HostValue[]).map((each) => toAnswer(fn, name, each));
      this.#mocks.set(name, { answers, repeats: false, used: 0 });
    } else this.#mocks.set(name, always(toAnswer(fn, name, returns ?? null)));
  }

  /** Records a call, and returns its answer; undefined: the function is not mocked. */
  answer(name: string, args: BuiltinArguments): MockAnswer | undefined {
    this.#calls.push({ name, args });
    const mock = this.#mocks.get(name);
    if (mock === undefined) return undefined;
    const index = mock.repeats ? Math.min(mock.used, mock.answers.length - 1) : mock.used;
    mock.used++;
    return (
      mock.answers[index] ?? {
        kind: "error",
        message: `${name} was called ${mock.used} times, and t.mock has values for ${mock.answers.length}`,
      }
    );
  }

  /** The arguments that the calls of a function gave. */
  calls(name: string): readonly BuiltinArguments[] {
    toMockable(name);
    return this.#calls.flatMap((call) => (call.name === name ? [call.args] : []));
  }
}

/** The message for an effect that a test has not mocked. */
export function notMocked(name: string): string {
  return `${name} is not mocked: a test reaches no process, file or network. Add t.mock(${JSON.stringify(name)}, returns = …) before the call`;
}

function always(answer: MockAnswer): Mock {
  return { answers: [answer], repeats: true, used: 0 };
}

function toMockable(name: string): BuiltinFunction {
  const fn = mockable.get(name);
  if (fn !== undefined) return fn;
  const isPure = builtins.some((each) => qualifiedName(each) === name);
  if (isPure) throw fault(`${name} depends on its arguments alone: it is not mocked`);
  const [near] = nearNames(name, [...mockable.keys()], 1);
  throw fault(
    `there is no function ${name}${near === undefined ? "" : ` (did you mean ${near}?)`}`,
  );
}

function isSuccessive({ returns }: BuiltinFunction, value: HostValue): boolean {
  if (!Array.isArray(value)) return false;
  return returns !== "list" || (value.length > 0 && value.every((each) => Array.isArray(each)));
}

/** @throws StarlarkError for a value that the function cannot return. */
export function toAnswer(fn: BuiltinFunction, name: string, value: HostValue): MockAnswer {
  const type = getTypeName(value);
  const { returns } = fn;
  const fits =
    returns === "any" ||
    type === returns ||
    (returns === "float" && type === "int") ||
    (returns === "None" && value === null);
  if (!fits) throw fault(`t.mock: ${name} returns ${returns}, not ${type}`);
  return { kind: "value", value: completeResult(name, value) };
}

function getTypeName(value: HostValue): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (value instanceof Uint8Array) return "bytes";
  return Array.isArray(value) ? "list" : "dict";
}
