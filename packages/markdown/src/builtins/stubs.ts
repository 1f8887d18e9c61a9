import type { BuiltinFunction, BuiltinParameter, ScriptKind } from "./builtin.ts";
import { languageConstants } from "./language-modules.ts";
import { builtinsFor } from "./table.ts";

/**
 * The functions of one kind of scripts as a stub file in Python's form (`.pyi`), for editors and models.
 *
 * @example `toolweave stubs > toolweave.pyi`
 */
export function writeStubs(kind: ScriptKind): string {
  const functions = builtinsFor(kind);
  const globals = functions.filter(({ module, name }) => module === undefined || module === name);
  const modules = new Map<string, BuiltinFunction[]>();
  for (const fn of functions) {
    if (fn.module === undefined || fn.module === fn.name) continue;
    modules.set(fn.module, [...(modules.get(fn.module) ?? []), fn]);
  }
  const parts = [
    ...globals.map((fn) => writeFunction(fn, "")),
    ...Array.from(modules, ([name, members]) =>
      [
        `class ${name}:`,
        ...Object.entries(languageConstants[name] ?? {}).map(
          ([constant, doc]) => `    ${constant}: float\n    """${doc}"""`,
        ),
        ...members.map((fn) => `    @staticmethod\n${writeFunction(fn, "    ")}`),
      ].join("\n"),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function writeFunction(fn: BuiltinFunction, indent: string): string {
  return [
    `${indent}def ${writeSignature(fn)}:`,
    `${indent}    """${fn.doc}"""`,
    `${indent}    ...`,
  ].join("\n");
}

/** The name, the parameters and the result of a function, as a stub writes them. */
export function writeSignature({
  name,
  parameters,
  returns,
}: Pick<BuiltinFunction, "name" | "parameters" | "returns">): string {
  const result = returns === "any" ? "object" : returns;
  return `${name}(${parameters.map(writeParameter).join(", ")}) -> ${result}`;
}

function writeParameter({ name, type, default: fallback, isRest }: BuiltinParameter): string {
  const written = type === "any" ? "object" : type === "number" ? "float" : type;
  if (isRest === true) return `*${name}: ${written}`;
  if (fallback === undefined) return `${name}: ${written}`;
  return `${name}: ${written}${fallback === null ? " | None" : ""} = ${toLiteral(fallback)}`;
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
