import { qualifiedName } from "../../builtins/bind.ts";
import type { BuiltinFunction, BuiltinType } from "../../builtins/builtin.ts";
import { writeSignature } from "../../builtins/stubs.ts";
import type { Definition } from "../../check/script-view.ts";

/** The types of values that a text shows without being run. */
export type ValueType =
  | "string"
  | "int"
  | "float"
  | "bool"
  | "list"
  | "dict"
  | "tuple"
  | "set"
  | "bytes"
  | "function"
  | "None"
  | "unknown";

/** One parameter as it is displayed. */
interface CallableParameter {
  readonly name: string;
  /** The parameter within the signature: `timeout_ms: int = 30000`. */
  readonly label: string;
  /** Whether an argument can name it. */
  readonly isNamed: boolean;
  /** Takes all further positional arguments. */
  readonly isRest: boolean;
  readonly doc?: string;
}

/** A function as hovers, completions and the help for signatures display it. */
export interface Callable {
  /** As scripts write it: `exec.run`. */
  readonly name: string;
  /** `exec.run(cmd: str) -> dict`. */
  readonly label: string;
  readonly parameters: readonly CallableParameter[];
  readonly returns: ValueType;
  readonly doc: string;
}

const valueTypes: Readonly<Record<string, ValueType>> = {
  str: "string",
  int: "int",
  float: "float",
  bool: "bool",
  list: "list",
  dict: "dict",
  tuple: "tuple",
  set: "set",
  bytes: "bytes",
  None: "None",
};

/** The type that a stub names. */
function toValueType(name: BuiltinType | string): ValueType {
  return valueTypes[name] ?? "unknown";
}

const builtinCallables = new WeakMap<BuiltinFunction, Callable>();

/** A function of the table of built-in functions. */
export function fromBuiltin(fn: BuiltinFunction): Callable {
  const known = builtinCallables.get(fn);
  if (known !== undefined) return known;
  const name = qualifiedName(fn);
  const reach = fn.capability === undefined ? "" : `\n\nReaches: ${fn.capability}.`;
  const callable: Callable = {
    name,
    label: writeSignature({ ...fn, name }),
    parameters: fn.parameters.map((parameter) => {
      const written = writeSignature({ name: "", parameters: [parameter], returns: "any" });
      return {
        name: parameter.name,
        label: written.slice(1, written.lastIndexOf(")")),
        isNamed: parameter.isRest !== true,
        isRest: parameter.isRest === true,
        ...(parameter.doc !== undefined && { doc: parameter.doc }),
      };
    }),
    returns: toValueType(fn.returns),
    doc: fn.doc + reach,
  };
  builtinCallables.set(fn, callable);
  return callable;
}

/**
 * A function from its signature in one line. Parameters behind a bare `*`, and `**kwargs`, are named; the others are
 * positional.
 *
 * @example `fromSignature("sorted(iterable, *, key=None) -> list", "…")`
 */
export function fromSignature(label: string, doc: string): Callable {
  const [, name = "", list = "", returns = ""] = /^([\w.]+)\((.*)\) -> (\w+)$/.exec(label) ?? [];
  const parameters: CallableParameter[] = [];
  let isNamed = false;
  for (const written of list.split(", ").filter((part) => part !== "")) {
    if (written === "*") {
      isNamed = true;
      continue;
    }
    const isRest = /^\*\w/.test(written);
    const word = /\w+/.exec(written)?.[0] ?? "";
    if (!written.startsWith("**")) parameters.push({ name: word, label: written, isNamed, isRest });
    if (isRest) isNamed = true;
  }
  return { name, label, parameters, returns: toValueType(returns), doc };
}

/** A function of a script: its signature as it is written, and its docstring. */
export function fromDefinition(definition: Definition, text: string): Callable {
  const { name } = definition.name;
  const parameters: CallableParameter[] = [];
  for (const { kind, name: parameter, start, end } of definition.parameters) {
    const label = text.slice(start, end);
    if (parameter !== undefined && kind !== "**")
      parameters.push({
        name: parameter.name,
        label,
        isNamed: kind !== "*",
        isRest: kind === "*",
      });
  }
  const written = definition.parameters.map(({ start, end }) => text.slice(start, end));
  return {
    name,
    label: `${name}(${written.join(", ")})`,
    parameters,
    returns: "unknown",
    doc: docstring(definition),
  };
}

/** The text that a function starts with, without its indentation. */
function docstring({ body }: Definition): string {
  const [first] = body;
  if (first?.kind !== "expression" || first.value.kind !== "literal") return "";
  const { token, value } = first.value;
  if (token !== "string literal") return "";
  // Literals hold the bytes of UTF-8.
  const lines = Buffer.from(String(value), "latin1").toString("utf8").split("\n");
  const widths = lines
    .slice(1)
    .filter((line) => line.trim() !== "")
    .map((line) => line.search(/\S/));
  const width = Math.min(...widths, 80);
  return [lines[0]?.trim() ?? "", ...lines.slice(1).map((line) => line.slice(width).trimEnd())]
    .join("\n")
    .trim();
}
