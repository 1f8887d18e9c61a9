import { isObject } from "@toolweave/core/adapter";
import type { SyntaxNode } from "@toolweave/starlark";
import type { ToolArtifact } from "../artifact/artifact.ts";
import { walkSyntax } from "@toolweave/starlark";
import { argumentsName } from "./lint-arguments.ts";
import { isOutside, readText } from "./script-view.ts";
import type { Definition, ScriptView } from "./script-view.ts";

const textMethods = new Set(
  "capitalize format join lower lstrip removeprefix removesuffix replace rstrip strip title upper".split(
    " ",
  ),
);

/** Reports values that do not fit their use: strings in loops, formats, and results that are not JSON. */
export function lintValues(
  view: ScriptView,
  tool: ToolArtifact | undefined,
  isStrict: boolean,
): void {
  for (const node of view.walk()) {
    if (node.kind === "for") lintIteration(view, node.iterable, tool);
    else if (node.kind === "call") {
      const isList =
        node.callee.kind === "name" && ["list", "enumerate", "sorted"].includes(node.callee.name);
      const [first] = node.arguments;
      if (isList && first?.kind === "positional") lintIteration(view, first.value, tool);
      lintFormatCall(view, node);
    } else if (node.kind === "binary" && node.operator === "%") lintPercent(view, node.left);
  }
  lintTabs(view);
  const run = view.definitions.get("run");
  if (tool !== undefined && run !== undefined) lintResults(view, run, isStrict);
}

function lintIteration(view: ScriptView, node: SyntaxNode, tool: ToolArtifact | undefined): void {
  if (!isText(view, node, tool)) return;
  view.report(node, {
    code: "string_iteration",
    severity: "error",
    message: "a string is not iterable",
    hint: "Write text.elems() for characters, text.splitlines() for lines, text.split() for words.",
  });
}

function isText(view: ScriptView, node: SyntaxNode, tool: ToolArtifact | undefined): boolean {
  switch (node.kind) {
    case "literal":
      return node.token === "string literal";
    case "parenthesized":
      return isText(view, node.value, tool);
    case "binary":
      return node.operator === "+" && isText(view, node.left, tool);
    case "index":
      return isTextArgument(view, node.object, node.index, tool);
    case "call": {
      if (view.builtin(node.callee)?.returns === "str") return true;
      if (node.callee.kind === "name") return node.callee.name === "str";
      if (node.callee.kind !== "dot") return false;
      if (textMethods.has(node.callee.name))
        return view.builtin(node.callee) === undefined && !isModule(view, node.callee.object);
      const [key] = node.arguments;
      return (
        node.callee.name === "get" && isTextArgument(view, node.callee.object, key?.value, tool)
      );
    }
    default:
      return false;
  }
}

function isModule(view: ScriptView, node: SyntaxNode): boolean {
  return node.kind === "name" && view.modules.has(node.name) && !view.globals.has(node.name);
}

/** Whether `args[key]` is declared as a string. */
function isTextArgument(
  view: ScriptView,
  object: SyntaxNode,
  key: SyntaxNode | undefined,
  tool: ToolArtifact | undefined,
): boolean {
  const name = argumentsName(view.definitions.get("run"));
  const text = readText(key);
  const properties = tool?.inputSchema["properties"];
  if (object.kind !== "name" || object.name !== name || text === undefined) return false;
  const schema = isObject(properties) && Object.hasOwn(properties, text) ? properties[text] : null;
  return isObject(schema) && schema["type"] === "string";
}

function lintFormatCall(
  view: ScriptView,
  node: Extract<SyntaxNode, { readonly kind: "call" }>,
): void {
  if (node.callee.kind !== "dot" || node.callee.name !== "format") return;
  const format = readText(node.callee.object);
  if (format === undefined) return;
  for (const [, field = ""] of format.replaceAll("{{", "").matchAll(/\{([^{}]*)\}/g)) {
    const fault = /[.[]/.test(field.split(/[:!]/)[0] ?? "")
      ? "cannot read members"
      : field.includes(":")
        ? "has no widths and precisions"
        : undefined;
    if (fault === undefined) continue;
    view.report(node.callee.object, {
      code: "format",
      severity: "error",
      message: `the field {${field}} is not supported: format ${fault}`,
      hint: fault.startsWith("cannot")
        ? 'Pass the member: "{}".format(x["name"]).'
        : "Write string.pad_left or string.pad_right for widths, math.round for decimals.",
    });
  }
}

function lintPercent(view: ScriptView, left: SyntaxNode): void {
  const format = readText(left);
  const fault =
    format === undefined ? null : /%(?![%srdioxXeEfFgGc(])(.?)/.exec(format.replaceAll("%%", ""));
  if (fault === null) return;
  view.report(left, {
    code: "format",
    severity: "error",
    message: `unknown conversion %${fault[1] ?? ""}`,
    hint: "Conversions have no widths and precisions: write string.pad_left for widths, math.round for decimals.",
  });
}

function lintTabs(view: ScriptView): void {
  const lines = view.script.text.split("\n");
  const indented = lines.findIndex((line) => /^ +\S/.test(line));
  const tab = lines.findIndex((line) => /^[ ]*\t\s*\S/.test(line));
  if (indented === -1 || tab === -1) return;
  const offset = lines.slice(0, tab).join("\n").length + (tab === 0 ? 0 : 1);
  view.report(
    { start: offset },
    {
      code: "tabs",
      severity: "warning",
      message: "the script is indented with tabs and with spaces",
      hint: "Indent with four spaces everywhere.",
    },
  );
}

function lintResults(view: ScriptView, run: Definition, isStrict: boolean): void {
  let hasResult = false;
  for (const node of walkSyntax(run.body, isOutside)) {
    if (
      node.kind === "expression" &&
      node.value.kind === "call" &&
      node.value.callee.kind === "name" &&
      node.value.callee.name === "fail"
    )
      hasResult = true;
    if (node.kind !== "return" || node.value === undefined) continue;
    hasResult = true;
    lintResult(view, node.value, isStrict);
  }
  if (!hasResult)
    view.report(run, {
      code: "no_result",
      severity: "warning",
      message: "run returns nothing: the result of the tool is always empty",
      hint: 'Return a value, such as {"ok": True}.',
    });
}

function lintResult(view: ScriptView, value: SyntaxNode, isStrict: boolean): void {
  const report = (node: SyntaxNode, what: string, hint: string): void =>
    view.report(node, {
      code: "result_type",
      severity: "error",
      message: `the result has no JSON form: ${what}`,
      hint,
    });
  if (value.kind === "lambda" || (value.kind === "name" && view.definitions.has(value.name)))
    report(value, "it is a function", "Call the function, and return its result.");
  else if (value.kind === "literal" && value.token === "bytes literal")
    report(value, "it is bytes", "Return base64.encode(data).");
  else if (value.kind === "dict") {
    for (const { key } of value.entries)
      if (key.kind === "literal" && key.token !== "string literal")
        report(key, "a key of the dict is no string", "Put the key in quotes.");
  } else if (value.kind === "call" && isStrict) {
    const builtin = view.builtin(value.callee);
    if (builtin?.capability !== "process" && builtin?.capability !== "network") return;
    view.report(value, {
      code: "unbounded_result",
      severity: "warning",
      message: `the result of ${builtin.module ?? ""}.${builtin.name} is returned whole, and may be long`,
      hint: "Return the parts that the model needs, with string.truncate(text, 8000).",
    });
  }
}
