import {
  compile,
  hostFunction,
  hostModule,
  json,
  load,
  StarlarkError,
  Thread,
  toHost,
  toStarlark,
  valueFunction,
  type HostMember,
  type HostValue,
  type Module,
  type SourcePosition,
  type ThreadOptions,
  type Value,
} from "@toolweave/starlark";
import { bindArguments } from "../builtins/bind.ts";
import { languageModules } from "../builtins/language-modules.ts";
import { toJsonValue } from "../builtins/to-json.ts";
import type { JsonValue } from "@toolweave/core";
import type { MockedFunctions } from "./mocked-functions.ts";
import type { MockFunction } from "./mocks.ts";
import { testFunctions } from "./test-functions.ts";
import { fault } from "../builtins/fault.ts";

/** A value that a test did not expect. Values are written as `repr` does. */
export interface Mismatch {
  readonly message: string;
  readonly got?: string;
  readonly want?: string;
}

/** The parts of a test run that the functions of `t` use. */
export interface TestServices {
  readonly functions: MockedFunctions;
  /** The place in the test that runs. */
  place(): SourcePosition | undefined;
  /** Records a failure of the test that runs. */
  report(mismatch: Mismatch, place?: SourcePosition): void;
  /** Calls a tool, and returns its result. */
  callTool(name: string, args: JsonValue): Promise<JsonValue>;
  /** Calls a hook, and returns its decision. */
  callHook(name: string, event: string, payload: JsonValue): Promise<JsonValue>;
  /** The options of a run that the test makes itself. */
  readonly thread: () => ThreadOptions;
}

/** The file of the functions that are written in Starlark: no place of a test is in it. */
export const preludeFile = "<t>";

// In Starlark, since only Starlark compares and writes its own values.
const prelude = `
def eq(got, want, message = ""):
    if got != want:
        report(message or "the values differ", repr(got), repr(want))

def ne(got, other, message = ""):
    if got == other:
        report(message or "the values are equal", repr(got), None)

def true(value, message = ""):
    if not value:
        report(message or "the value is not true", repr(value), None)

def contains(whole, item, message = ""):
    if item not in whole:
        report(message or "the item is missing", repr(whole), repr(item))

def matches(pattern, text):
    return re.search(pattern, text) != None
`;

/** The library of one test file: `t`, which is made once, and the state of the test that runs. */
export async function testLibrary(services: TestServices): Promise<Value> {
  const report = hostFunction("report", ([message, got, want]) => {
    const values = {
      ...(got === null ? {} : { got: got as string }),
      ...(want === null ? {} : { want: want as string }),
    };
    services.report({ message: message as string, ...values }, services.place());
    return null;
  });
  const program = compile(prelude, { file: preludeFile, predeclared: ["report", "re", "json"] });
  const predeclared = { report, re: languageModules.re, json };
  const module = await load(program, { predeclared });
  const members: Record<string, Value> = {};
  for (const name of ["eq", "ne", "true", "contains"]) members[name] = module.get(name);
  members["fails"] = failsFunction(services, module);
  members["mock"] = mockFunction(services);
  members["call"] = definedFunction("call", async ({ tool, args }) => {
    const result = await services.callTool(tool as string, toJsonValue(args ?? {}, "args"));
    return result as HostValue;
  });
  members["hook"] = definedFunction("hook", async ({ name, event, payload }) => {
    const sent = toJsonValue(payload, "payload");
    return (await services.callHook(name as string, event as string, sent)) as HostValue;
  });
  members["calls"] = definedFunction("calls", ({ name }) =>
    services.functions.state.mocks.calls(name as string),
  );
  return hostModule("t", members as Readonly<Record<string, HostMember>>);
}

/** A function of the host whose arguments are those of the table. */
function definedFunction(
  name: string,
  call: (args: Readonly<Record<string, HostValue>>) => HostValue | Promise<HostValue>,
): Value {
  const fn = testFunctions.find((each) => each.name === name);
  if (fn === undefined) throw new TypeError(`The table has no function ${name}.`);
  return hostFunction(`t.${name}`, (args, { named }) => call(bindArguments(fn, args, named)));
}

function failsFunction(services: TestServices, module: Module): Value {
  const { thread } = services;
  return valueFunction("t.fails", async (args, { named }) => {
    const place = services.place();
    const [fn = named["fn"], pattern = named["pattern"] ?? ""] = args;
    if (fn === undefined) throw fault("t.fails: missing argument for fn");
    const { state } = services.functions;
    const message = await catchFailure(() => state.nest(() => new Thread(thread()).call(fn, [])));
    if (message === undefined) {
      services.report({ message: "the function did not fail" }, place);
      return null;
    }
    const found = await new Thread(thread()).call(module.get("matches"), [
      pattern,
      toStarlark(message),
    ]);
    if (found !== true) {
      const want = String(toHost(pattern));
      const mismatch = { message: "the function failed with another message", got: message, want };
      services.report(mismatch, place);
    }
    return toStarlark(message);
  });
}

/** The message of the error that a script ends with; undefined: it does not fail. */
async function catchFailure(call: () => Promise<Value>): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    // A test that is stopped has not failed as it wanted to.
    if (error instanceof StarlarkError && error.code !== "cancelled") return error.message;
    throw error;
  }
}

function mockFunction({ functions, thread }: TestServices): Value {
  return valueFunction("t.mock", (args, { named }) => {
    const [name = named["name"]] = args;
    if (args.length > 1)
      throw fault("t.mock: write returns =, raises = or calls = before the value");
    for (const key of Object.keys(named)) {
      if (!["name", "returns", "raises", "calls"].includes(key))
        throw fault(`t.mock: unexpected keyword argument ${key}`);
    }
    if (typeof name !== "string") throw fault("t.mock: the name of a function comes first");
    const { returns, raises, calls } = named;
    if (raises !== undefined && typeof raises !== "string")
      throw fault("t.mock: raises is the message of an error");
    functions.state.mocks.set(toHost(name) as string, {
      ...(returns === undefined ? {} : { returns: toHost(returns) }),
      ...(raises === undefined ? {} : { raises: toHost(raises) as string }),
      ...(calls === undefined ? {} : { calls: toMockFunction(calls, thread) }),
    });
    return null;
  });
}

function toMockFunction(fn: Value, thread: () => ThreadOptions): MockFunction {
  return async (positional, named) => {
    const pairs = Object.entries(named).map(
      ([name, value]) => [toStarlark(name) as string, toStarlark(value)] as const,
    );
    return toHost(await new Thread(thread()).call(fn, positional.map(toStarlark), pairs));
  };
}
