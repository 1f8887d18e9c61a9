import type { BuiltinFunction, BuiltinParameter, BuiltinType, ScriptKind } from "./builtin.ts";
import { languageConstants } from "./language-modules.ts";
import { builtinsFor } from "./table.ts";

/** Words that are no names in Python 3. */
const reservedWords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** The types of Python whose names a member of a class can hide. */
const types: readonly BuiltinType[] = ["str", "int", "float", "bool", "list", "dict", "bytes"];

/**
 * The functions of one kind of scripts as a stub file in Python's form (`.pyi`), for editors and models. A module is a class
 * with static methods; one that can be called is a value of such a class.
 *
 * @param further functions beside those of the kind.
 * @example `toolweave stubs > toolweave.pyi`
 */
export function writeStubs(kind: ScriptKind, further: readonly BuiltinFunction[] = []): string {
  const functions = [...builtinsFor(kind), ...further];
  const modules = new Map<string, BuiltinFunction[]>();
  for (const fn of functions) {
    if (fn.module === undefined) continue;
    modules.set(fn.module, [...(modules.get(fn.module) ?? []), fn]);
  }
  const parts = functions
    .filter(({ module }) => module === undefined)
    .map((fn) => writeFunction(fn, "", new Set()));
  const aliases = new Set<BuiltinType>();
  for (const [name, members] of modules) parts.push(writeModule(name, members, aliases));
  const imports = types
    .filter((type) => aliases.has(type))
    .map((type) => `from builtins import ${type} as _${type}`);
  return `${[["from typing import Any", ...imports].join("\n"), ...parts].join("\n\n")}\n`;
}

function writeModule(
  name: string,
  members: readonly BuiltinFunction[],
  aliases: Set<BuiltinType>,
): string {
  const own = members.find((member) => member.name === name);
  const others = members.filter((member) => member !== own);
  const constants = Object.entries(languageConstants[name] ?? {});
  if (own !== undefined && others.length + constants.length === 0)
    return writeFunction(own, "", new Set());
  // In a class, the name of a method hides the type of that name.
  const hidden = new Set(types.filter((type) => others.some((member) => member.name === type)));
  for (const type of hidden) aliases.add(type);
  return [
    `class ${own === undefined ? name : `_${name}`}:`,
    ...constants.map(([constant, doc]) => `    ${constant}: float\n    """${doc}"""`),
    ...(own === undefined ? [] : [writeFunction({ ...own, name: "__call__" }, "    ", hidden)]),
    ...others.map((fn) => `    @staticmethod\n${writeFunction(fn, "    ", hidden)}`),
    ...(own === undefined ? [] : ["", `${name}: _${name}`]),
  ].join("\n");
}

function writeFunction(
  fn: BuiltinFunction,
  indent: string,
  hidden: ReadonlySet<BuiltinType>,
): string {
  const parameters = fn.parameters.filter(({ doc }) => doc !== undefined);
  const notes = parameters.map(({ name, doc }) => `${indent}    ${toName(name)}: ${doc}`);
  const doc =
    notes.length === 0
      ? [`${indent}    """${fn.doc}"""`]
      : [`${indent}    """${fn.doc}`, "", ...notes, `${indent}    """`];
  const self = fn.name === "__call__" ? ["self"] : [];
  const last = fn.parameters.findLastIndex(({ name }) => reservedWords.has(name));
  const written = fn.parameters.flatMap((parameter, index) => [
    writeParameter({ ...parameter, name: toName(parameter.name) }, hidden),
    // A parameter whose name cannot be written is given by its position.
    ...(index === last ? ["/"] : []),
  ]);
  const result = `${[...self, ...written].join(", ")}) -> ${writeType(fn.returns, hidden)}`;
  return [`${indent}def ${fn.name}(${result}:`, ...doc, `${indent}    ...`].join("\n");
}

/** The name, the parameters and the result of a function, as a stub writes them. */
export function writeSignature({
  name,
  parameters,
  returns,
}: Pick<BuiltinFunction, "name" | "parameters" | "returns">): string {
  const hidden = new Set<BuiltinType>();
  const written = parameters.map((parameter) => writeParameter(parameter, hidden));
  const signature = `${name}(${written.join(", ")}) -> ${writeType(returns, hidden)}`;
  // A reader of one line has no import to look up.
  return signature.replaceAll(/(?<=: |-> )Any\b/g, "object");
}

function writeParameter(
  { name, type, default: fallback, isRest }: BuiltinParameter,
  hidden: ReadonlySet<BuiltinType>,
): string {
  const written = `${name}: ${writeType(type, hidden)}`;
  if (isRest === true) return `*${written}`;
  if (fallback === undefined) return written;
  const isOptional = fallback === null && type !== "any" && type !== "None";
  return `${written}${isOptional ? " | None" : ""} = ${toLiteral(fallback)}`;
}

/** A name that Python accepts. */
function toName(name: string): string {
  return reservedWords.has(name) ? `${name}_` : name;
}

function writeType(type: BuiltinType, hidden: ReadonlySet<BuiltinType>): string {
  const written = type === "any" ? "Any" : type === "number" ? "float" : type;
  return hidden.has(written as BuiltinType) ? `_${written}` : written;
}

/** A JSON value as Starlark writes it. */
export function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(", ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value);
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}: ${toLiteral(item)}`).join(", ")}}`;
  }
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
