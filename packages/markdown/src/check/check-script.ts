import { compile, StarlarkError } from "@toolweave/starlark";
import type { Dialect, SourceProblem } from "@toolweave/starlark";
import type { HookArtifact, ScriptText, ToolArtifact } from "../artifact/artifact.ts";
import type { Fields } from "../artifact/fields.ts";
import type { ScriptKind } from "../builtins/builtin.ts";
import { compileOptions } from "../script/program.ts";
import type { Finding } from "../text/finding.ts";
import { checkClaims, inferCapabilities } from "./capabilities.ts";
import type { Reach } from "./capabilities.ts";
import { languageCode, languageHint } from "./language-hints.ts";
import { lintArguments } from "./lint-arguments.ts";
import { lintCalls } from "./lint-calls.ts";
import { lintFlow } from "./lint-flow.ts";
import { lintValues } from "./lint-values.ts";
import { ScriptView } from "./script-view.ts";

/** The findings of a script, and what it can reach. */
export interface ScriptCheck {
  readonly findings: readonly Finding[];
  readonly capabilities: readonly Reach[];
}

/** Checks the script of a tool or a hook. Findings of the front matter are added to its fields. */
export function checkScript(
  artifact: ToolArtifact | HookArtifact,
  fields: Fields,
  isStrict: boolean,
): ScriptCheck {
  const { dialect, kind, name, script } = artifact;
  const findings: Finding[] = [];
  if (script === undefined || script.text === "") return { findings, capabilities: [] };
  findings.push(...findLanguageFaults(script, kind, dialect));
  const view = new ScriptView(script, kind, dialect, findings);
  // A tree with faults lacks statements: names would seem to be unused.
  if (view.tree.problems.length > 0) return { findings, capabilities: inferCapabilities(view) };
  checkEntry(view, name);
  lintFlow(view);
  lintCalls(view);
  lintValues(view, artifact.kind === "tool" ? artifact : undefined, isStrict);
  if (artifact.kind === "tool") lintArguments(view, artifact, fields);
  checkClaims(view, artifact, fields, isStrict);
  return { findings, capabilities: inferCapabilities(view) };
}

/** The names that a condition has beside the built-in ones. */
const conditionNames: Readonly<Record<"hook" | "bundle", readonly string[]>> = {
  hook: ["event", "payload"],
  bundle: ["env", "platform"],
};

/** Checks a condition: one expression without effects. */
export function checkCondition(
  { place, text }: ScriptText,
  key: string,
  owner: "hook" | "bundle",
): readonly Finding[] {
  // In parentheses, as it is evaluated: an expression may take several lines.
  const script = { text: `(\n${text}\n)`, place: { ...place, line: place.line - 1 } };
  const findings = [...findLanguageFaults(script, "condition", {}, conditionNames[owner])];
  const view = new ScriptView(script, "condition", {}, findings);
  if (view.tree.problems.length > 0) return findings;
  const [first, second] = view.tree.statements;
  const isEmpty =
    first?.kind === "expression" && first.value.kind === "tuple" && first.value.items.length === 0;
  if (second !== undefined || isEmpty)
    findings.push({
      ...place,
      code: "not_an_expression",
      severity: "error",
      message: `${key} must be one expression`,
      hint: `Write ${key}: payload["name"] == "run_command", for example.`,
    });
  lintCalls(view);
  return findings;
}

/** The faults that a script has before it runs. */
function findLanguageFaults(
  script: ScriptText,
  kind: ScriptKind,
  dialect: Dialect,
  names: readonly string[] = [],
): readonly Finding[] {
  try {
    compile(script.text, compileOptions(script, kind, dialect, names));
    return [];
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    if (error.problems.length === 0)
      return [{ ...script.place, code: "script_limit", severity: "error", message: error.message }];
    // The parenthesis around a condition is left over after each other fault.
    const [first, ...others] = error.problems;
    const problems =
      kind === "condition" ? others.filter(({ message }) => message !== "unexpected ')'") : others;
    return [first as SourceProblem, ...problems].map((problem) =>
      toFinding(problem, script, kind, names),
    );
  }
}

function toFinding(
  { message, position }: SourceProblem,
  script: ScriptText,
  kind: ScriptKind,
  names: readonly string[],
): Finding {
  const { place } = script;
  const lines = script.text.split("\n");
  let row = position.line - place.line;
  let column = position.column - place.column;
  // The end of the text is the end of its last line.
  const isAfterEnd = (line: string): boolean =>
    line === "" || (kind === "condition" && line === ")");
  while (row > 0 && row >= lines.length - 1 && isAfterEnd(lines[row] ?? "")) {
    lines.length = row;
    row--;
    column = [...(lines[row] ?? "")].length;
  }
  const line = lines[row] ?? "";
  const characters = [...line];
  const hint = languageHint({
    message,
    line,
    before: characters.slice(0, column).join(""),
    after: characters.slice(column).join(""),
    kind,
    names,
  });
  return {
    file: position.file,
    line: place.line + row,
    // An empty line has no indentation in the file.
    column: line === "" ? 1 : place.column + column,
    code: languageCode(message),
    severity: "error",
    message,
    ...(hint !== undefined && { hint }),
  };
}

/** The function that the host calls exists and takes what the host gives it. */
function checkEntry(view: ScriptView, name: string): void {
  const [entry, count, signature] =
    view.kind === "hook"
      ? (["handle", 2, "handle(event, payload)"] as const)
      : (["run", 1, "run(args)"] as const);
  const definition = view.definitions.get(entry);
  if (definition === undefined) {
    if (view.globals.has(entry)) return;
    view.report(
      { start: Math.max(0, view.script.text.search(/\S/)) },
      {
        code: "missing_function",
        severity: "error",
        message: `${view.kind} script "${name}" must define a '${entry}' function`,
        hint:
          view.definitions.size === 1
            ? `Rename ${[...view.definitions.keys()].join("")}: def ${signature}:`
            : `Write def ${signature}:`,
      },
    );
    return;
  }
  const { parameters } = definition;
  const needed = parameters.filter(({ kind }) => kind === "required").length;
  const positional = parameters.filter(({ kind }) => kind === "required" || kind === "optional");
  const takesMore = parameters.some(({ kind, name: rest }) => kind === "*" && rest !== undefined);
  if (needed <= count && (positional.length >= count || takesMore)) return;
  view.report(definition.name, {
    code: "wrong_parameters",
    severity: "error",
    message: `${entry} takes ${positional.length} ${positional.length === 1 ? "parameter" : "parameters"}, and the host gives it ${count}`,
    hint: `Write def ${signature}:`,
  });
}
