import type { BuiltinFunction, BuiltinParameter, BuiltinType } from "../builtins/builtin.ts";
import { optional, required } from "../builtins/define.ts";

const message = optional("message", "str", "", "The text of the failure.");

type Row = readonly [
  name: string,
  returns: BuiltinType,
  doc: string,
  ...parameters: readonly BuiltinParameter[],
];

const rows: readonly Row[] = [
  ["eq", "None", "Fails the test unless got == want.", ...pair("want"), message],
  ["ne", "None", "Fails the test if got == other.", ...pair("other"), message],
  ["true", "None", "Fails the test unless the value is true.", required("value", "any"), message],
  [
    "contains",
    "None",
    "Fails the test unless the item is in the list or dict, or the text in the text.",
    required("whole", "any"),
    required("item", "any"),
    message,
  ],
  [
    "fails",
    "str",
    "Calls a function, and fails the test unless that fails with a message that matches the pattern. Returns the message.",
    required("fn", "any", "A function without parameters."),
    optional("pattern", "str", "", "A regular expression."),
  ],
  [
    "mock",
    "None",
    "Replaces the result of a function such as exec.run. A list has the results of successive calls.",
    required("name", "str"),
    optional("returns", "any", null),
    optional("raises", "str", null, "The message of an error, which ends the script."),
    optional("calls", "any", null, "A function with the parameters of the replaced one."),
  ],
  [
    "call",
    "any",
    "Calls a tool of a file beside the test, and returns its result. A call that fails, fails the test.",
    required("tool", "str"),
    optional("args", "dict", null),
  ],
  [
    "hook",
    "dict",
    "Calls a hook of a file beside the test, and returns its decision: {action, reason, payload}.",
    required("name", "str"),
    required("event", "str"),
    required("payload", "dict"),
  ],
  [
    "calls",
    "list",
    "The arguments of each call of a function, by parameter: those that the script has given.",
    required("name", "str"),
  ],
];

function pair(second: string): readonly BuiltinParameter[] {
  return [required("got", "any"), required(second, "any")];
}

/** The functions of `t`, the argument of every test. */
export const testFunctions: readonly BuiltinFunction[] = rows.map(
  ([name, returns, doc, ...parameters]): BuiltinFunction => ({
    module: "t",
    name,
    doc,
    parameters,
    returns,
    kinds: ["test"],
    isPure: false,
  }),
);
