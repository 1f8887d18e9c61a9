import { qualifiedName } from "./bind.ts";
import type { BuiltinFunction, ScriptKind } from "./builtin.ts";
import { languageConstants } from "./language-modules.ts";
import { writeSignature } from "./stubs.ts";
import { builtinsFor } from "./table.ts";

/** One way to complete a name. */
export interface NameCompletion {
  /** The whole name, such as `exec.run`, or `exec.` for a module. */
  readonly name: string;
  readonly kind: "function" | "module" | "value";
  readonly signature?: string;
  readonly doc?: string;
}

/** The functions and values of the language itself. */
export const universalNames: readonly string[] = [
  "None",
  "True",
  "False",
  "abs",
  "all",
  "any",
  "bool",
  "bytes",
  "chr",
  "dict",
  "dir",
  "enumerate",
  "fail",
  "float",
  "getattr",
  "hasattr",
  "hash",
  "int",
  "len",
  "list",
  "max",
  "min",
  "ord",
  "print",
  "range",
  "repr",
  "reversed",
  "sorted",
  "str",
  "tuple",
  "type",
  "zip",
];

/** The kinds of scripts whose dialect has sets. */
const withSets: ReadonlySet<ScriptKind> = new Set(["session", "test"]);

/**
 * The names with which the name at the end of a text can continue, in order: modules, functions and constants of the kind,
 * members behind a dot, and the functions of the language.
 *
 * @param further other names, such as those that a session has defined; with them, functions beside those of the kind.
 */
export function completeName(
  text: string,
  kind: ScriptKind,
  further: {
    readonly names?: readonly string[];
    readonly functions?: readonly BuiltinFunction[];
  } = {},
): readonly NameCompletion[] {
  const start = /(?:^|[^\w.])((?:[A-Za-z_]\w*\.)?(?:[A-Za-z_]\w*)?)$/.exec(text)?.[1];
  // A digit before the name makes it a number, and a dot before it a member of a value.
  if (start === undefined) return [];
  const all = allNames(kind, further.functions ?? []);
  const own = (further.names ?? []).map((name): NameCompletion => ({ name, kind: "value" }));
  const known = new Set(own.map(({ name }) => name));
  const isMember = start.includes(".");
  return [...own, ...all.filter(({ name }) => !known.has(name))]
    .filter(({ name }) => name.startsWith(start))
    .filter(({ name }) => name !== start && (isMember || !name.slice(0, -1).includes(".")))
    .toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}

function allNames(
  kind: ScriptKind,
  further: readonly BuiltinFunction[],
): readonly NameCompletion[] {
  const functions = [...builtinsFor(kind), ...further];
  const modules = new Set(
    functions.flatMap(({ module, name }) =>
      module === undefined || module === name ? [] : [module],
    ),
  );
  return [
    ...functions.map((fn): NameCompletion => ({
      name: qualifiedName(fn),
      kind: "function",
      signature: writeSignature({ ...fn, name: qualifiedName(fn) }),
      doc: fn.doc,
    })),
    ...Array.from(modules, (module): NameCompletion => ({ name: `${module}.`, kind: "module" })),
    ...[...modules].flatMap((module) =>
      Object.entries(languageConstants[module] ?? {}).map(([name, doc]): NameCompletion => ({
        name: `${module}.${name}`,
        kind: "value",
        doc,
      })),
    ),
    ...[...universalNames, ...(withSets.has(kind) ? ["set"] : [])].map((name): NameCompletion => ({
      name,
      kind: "value",
    })),
  ];
}
