import { nearNames } from "@toolweave/core/adapter";
import type { SyntaxNode } from "@toolweave/starlark";
import type { BuiltinFunction } from "../builtins/builtin.ts";
import { builtins } from "../builtins/table.ts";
import type { Call, ScriptView } from "./script-view.ts";

/** Methods of strings, lists, dicts, sets and bytes. */
const methods = new Set(
  (
    "capitalize codepoint_ords codepoints count elem_ords elems endswith find format index isalnum isalpha isdigit " +
    "islower isspace istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex " +
    "rpartition rsplit rstrip split splitlines startswith strip title upper append clear extend insert pop remove get " +
    "items keys popitem setdefault update values add difference discard intersection issubset issuperset " +
    "symmetric_difference union"
  ).split(" "),
);

/** Methods of Python and JavaScript, and the way to the same result here. */
const otherMethods: Readonly<Record<string, string>> = {
  sort: "Write sorted(items).",
  reverse: "Write reversed(items).",
  copy: "Write list(items) or dict(values).",
  has_key: "Write `key in d`.",
  iteritems: "Write d.items().",
  itervalues: "Write d.values().",
  zfill: 'Write string.pad_left(text, width, "0").',
  rjust: "Write string.pad_left(text, width).",
  ljust: "Write string.pad_right(text, width).",
  isnumeric: "Write text.isdigit().",
  isdecimal: "Write text.isdigit().",
  encode: "Write bytes(text).",
  decode: "Write str(data).",
  casefold: "Write text.lower().",
  swapcase: "Write text.upper() or text.lower().",
  format_map: "Write text.format(**values).",
  push: "Write items.append(x).",
  length: "Write len(x).",
  includes: "Write `x in items`.",
  contains: "Write `x in items`.",
  indexOf: "Write text.find(part).",
  toUpperCase: "Write text.upper().",
  toLowerCase: "Write text.lower().",
  trim: "Write text.strip().",
  startsWith: "Write text.startswith(part).",
  endsWith: "Write text.endswith(part).",
  map: "Write [f(x) for x in items].",
  filter: "Write [x for x in items if keep(x)].",
  fromkeys: "Write {key: value for key in keys}.",
};

/** Names of other libraries for the functions of modules. */
const otherMembers: Readonly<Record<string, string>> = {
  "json.dumps": "json.encode(value)",
  "json.loads": "json.decode(text)",
  "json.stringify": "json.encode(value)",
  "json.parse": "json.decode(text)",
  "re.sub": "re.replace(pattern, text, replacement)",
  "re.compile": "re.search(pattern, text): patterns are compiled once",
  "re.fullmatch": 're.match("…$", text)',
  "fs.open": "fs.read(path)",
  "fs.delete": "fs.remove(path)",
  "fs.unlink": "fs.remove(path)",
  "fs.rename": "fs.move(from, to)",
  "fs.listdir": "fs.list(path)",
  "fs.makedirs": "fs.mkdir(path)",
  "http.put": 'http.request("PUT", url)',
  "http.delete": 'http.request("DELETE", url)',
  "http.patch": 'http.request("PATCH", url)',
  "exec.shell": 'exec.run("bash", ["-c", command])',
  "exec.command": "exec.run(program, args)",
  "time.time": "time.now()",
};

/** Reports calls of functions that do not exist, and arguments that a function does not take. */
export function lintCalls(view: ScriptView): void {
  // Values of another file can have any attributes.
  const hasLoads = view.tree.statements.some(({ kind }) => kind === "load");
  for (const node of view.walk()) {
    if (node.kind === "dot") lintMember(view, node);
    if (node.kind !== "call") continue;
    const builtin = view.builtin(node.callee);
    if (builtin !== undefined) lintBuiltinCall(view, node, builtin);
    else if (!hasLoads && !isUndefined(view, node.callee)) lintMethod(view, node);
  }
}

/** Whether an expression starts with a name that does not exist: it has a finding already. */
function isUndefined(view: ScriptView, node: SyntaxNode): boolean {
  let inner = node;
  for (;;) {
    if (inner.kind === "dot" || inner.kind === "index") inner = inner.object;
    else if (inner.kind === "call") inner = inner.callee;
    else break;
  }
  const { column, line } = view.tree.position(inner.start);
  return view.findings.some(
    (each) => each.code === "undefined_name" && each.line === line && each.column === column,
  );
}

function lintMember(view: ScriptView, node: Extract<SyntaxNode, { readonly kind: "dot" }>): void {
  if (node.object.kind !== "name" || view.globals.has(node.object.name)) return;
  const module = node.object.name;
  const members = module === "" ? undefined : view.modules.get(module);
  if (members === undefined || (members.has(node.name) && node.name !== module)) return;
  const qualified = `${module}.${node.name}`;
  const other = Object.hasOwn(otherMembers, qualified) ? otherMembers[qualified] : undefined;
  const [near] = nearNames(node.name, members.keys(), 1);
  const all = [...members.keys()].filter((name) => name !== module);
  const isElsewhere = builtins.some((each) => each.module === module && each.name === node.name);
  view.report(node, {
    code: "unknown_member",
    severity: "error",
    message: isElsewhere
      ? `${qualified} does not exist in a ${view.kind}`
      : `${module} has no ${node.name}`,
    hint:
      other !== undefined
        ? `Write ${other}.`
        : near !== undefined
          ? `Did you mean ${module}.${near}?`
          : all.length === 0
            ? `${module} is a function: ${module}(…).`
            : `${module} has ${all.slice(0, 12).join(", ")}${all.length > 12 ? ", …" : ""}.`,
  });
}

function lintMethod(view: ScriptView, call: Call): void {
  const { callee } = call;
  if (callee.kind !== "dot" || methods.has(callee.name)) return;
  const { object } = callee;
  if (object.kind === "name" && view.modules.has(object.name)) return;
  const hint = Object.hasOwn(otherMethods, callee.name) ? otherMethods[callee.name] : undefined;
  const [near] = nearNames(callee.name, methods, 1);
  view.report(
    { start: callee.at + 1 },
    {
      code: "unknown_member",
      severity: "error",
      message: `no value has a method ${callee.name}`,
      ...(hint !== undefined
        ? { hint }
        : near !== undefined
          ? { hint: `Did you mean ${near}?` }
          : {}),
    },
  );
}

function lintBuiltinCall(view: ScriptView, call: Call, builtin: BuiltinFunction): void {
  const { parameters } = builtin;
  const name =
    builtin.module === undefined || builtin.module === builtin.name
      ? builtin.name
      : `${builtin.module}.${builtin.name}`;
  const report = (node: { readonly start: number }, message: string, hint?: string): void =>
    view.report(node, {
      code: "bad_call",
      severity: "error",
      message,
      hint: hint ?? `Write ${describeSignature(name, builtin)}.`,
    });
  const isOpen = call.arguments.some(({ kind }) => kind === "*" || kind === "**");
  const positional = call.arguments.filter(({ kind }) => kind === "positional");
  const extra = positional[parameters.length];
  if (extra !== undefined && !parameters.some(({ isRest }) => isRest === true))
    report(extra, `${name} takes at most ${countArguments(parameters.length)}`);
  for (const argument of call.arguments) {
    if (argument.kind !== "named" || parameters.some((each) => each.name === argument.name))
      continue;
    const [near] = nearNames(
      argument.name ?? "",
      parameters.map((each) => each.name),
      1,
    );
    report(
      argument,
      `${name} has no parameter ${argument.name ?? ""}`,
      near === undefined ? undefined : `Did you mean ${near}?`,
    );
  }
  if (isOpen) return;
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.default !== undefined || parameter.isRest === true || index < positional.length)
      continue;
    if (call.arguments.some((each) => each.name === parameter.name)) continue;
    report(call, `${name} needs the argument ${parameter.name}`);
  }
}

function countArguments(count: number): string {
  return count === 1 ? "1 argument" : `${count} arguments`;
}

function describeSignature(name: string, { parameters }: BuiltinFunction): string {
  const list = parameters.map(({ name: each, default: fallback }) => {
    if (fallback === undefined) return each;
    return `${each}=${fallback === null ? "None" : JSON.stringify(fallback)}`;
  });
  return `${name}(${list.join(", ")})`;
}
