import { json, math, type Value } from "@toolweave/starlark";
import { regexModule } from "@toolweave/starlark/re";
import type { BuiltinFunction, BuiltinParameter, BuiltinType } from "./builtin.ts";
import { allKinds, optional, required } from "./define.ts";

/** The modules that the language itself has, by name. */
export const languageModules: Readonly<Record<"json" | "math" | "re", Value>> = {
  json,
  math,
  re: regexModule(),
};

type Row = readonly [
  name: string,
  returns: BuiltinType,
  doc: string,
  ...parameters: BuiltinParameter[],
];

const value = required("x", "any");
const number = required("x", "number");
const pattern = required("pattern", "str", "In the syntax of RE2.");
const text = required("text", "str");
const indentation = [optional("prefix", "str", ""), optional("indent", "str", "\t")] as const;

const rows: Readonly<Record<"json" | "math" | "re", readonly Row[]>> = {
  json: [
    ["encode", "str", "A value as JSON.", value],
    ["encode_indent", "str", "A value as JSON over several lines.", value, ...indentation],
    [
      "decode",
      "any",
      "The value of a JSON text; with a default, that is returned for an invalid text.",
      required("text", "str"),
      optional("default", "any", null),
    ],
    ["indent", "str", "A JSON text over several lines.", required("text", "str"), ...indentation],
  ],
  re: [
    ["match", "list", "The match at the start of a text and its groups, or None.", pattern, text],
    ["search", "list", "The first match in a text and its groups, or None.", pattern, text],
    ["findall", "list", "All matches in a text.", pattern, text],
    ["find_all", "list", "The same as findall.", pattern, text],
    [
      "replace",
      "str",
      "The text with every match replaced; $1 is the first group.",
      pattern,
      text,
      required("replacement", "str"),
    ],
    ["split", "list", "The parts of a text between the matches.", pattern, text],
  ],
  math: [
    ["ceil", "int", "The least int that is not below x.", number],
    ["floor", "int", "The greatest int that is not above x.", number],
    ["round", "float", "The nearest whole number, half away from zero.", number],
    ["fabs", "float", "The absolute value.", number],
    ["copysign", "float", "x with the sign of y.", number, required("y", "number")],
    ["mod", "float", "The remainder of x / y with the sign of x.", number, required("y", "number")],
    ["remainder", "float", "The remainder of x / y by IEEE 754.", number, required("y", "number")],
    ["pow", "float", "x to the power of y.", number, required("y", "number")],
    ["exp", "float", "e to the power of x.", number],
    ["sqrt", "float", "The square root.", number],
    ["hypot", "float", "The length of the vector (x, y).", number, required("y", "number")],
    [
      "log",
      "float",
      "The logarithm; of base e by default.",
      number,
      optional("base", "number", null),
    ],
    ["gamma", "float", "The gamma function.", number],
    ["degrees", "float", "Radians as degrees.", number],
    ["radians", "float", "Degrees as radians.", number],
    ["atan2", "float", "The angle of the point (x, y).", required("y", "number"), number],
    ...[
      "acos",
      "acosh",
      "asin",
      "asinh",
      "atan",
      "atanh",
      "cos",
      "cosh",
      "sin",
      "sinh",
      "tan",
      "tanh",
    ].map((name): Row => [name, "float", `The function ${name}, of radians.`, number]),
  ],
};

/** Members that are values and no functions. */
export const languageConstants: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  math: { pi: "The number π.", e: "The number e." },
};

/** The functions of the modules of the language. */
export const languageFunctions: readonly BuiltinFunction[] = Object.entries(rows).flatMap(
  ([module, members]) =>
    members.map(([name, returns, doc, ...parameters]): BuiltinFunction => ({
      module,
      name,
      doc,
      parameters,
      returns,
      kinds: allKinds,
      isPure: true,
    })),
);
