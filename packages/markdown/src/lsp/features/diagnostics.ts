import { basename } from "node:path";
import { compile, StarlarkError } from "@toolweave/starlark";
import { DiagnosticSeverity } from "vscode-languageserver-protocol";
import type { Diagnostic } from "vscode-languageserver-protocol";
import type { ScriptKind } from "../../builtins/builtin.ts";
import { checkFile } from "../../check/check-file.ts";
import { languageCode, languageHint } from "../../check/language-hints.ts";
import { lintCalls } from "../../check/lint-calls.ts";
import { lintFlow } from "../../check/lint-flow.ts";
import { lintValues } from "../../check/lint-values.ts";
import { ScriptView } from "../../check/script-view.ts";
import { compileOptions } from "../../script/program.ts";
import type { Finding } from "../../text/finding.ts";
import { sortFindings } from "../../text/sort-findings.ts";
import type { LanguageDocument } from "../document.ts";

/** All findings of a document, as `toolweave validate` reports them for its text. */
export function findDiagnostics(document: LanguageDocument): readonly Diagnostic[] {
  return findFindings(document).map((finding) => toDiagnostic(document, finding));
}

function findFindings(document: LanguageDocument): readonly Finding[] {
  const { kind, owner, path, text } = document;
  if (kind === undefined) return [];
  if (kind !== "star") return checkMarkdown(document, kind).filter(({ file }) => file === path);
  if (owner?.kind !== undefined && owner.kind !== "star") {
    const name = basename(path);
    const findings = checkMarkdown(owner, owner.kind);
    return findings.filter(({ file }) => file !== owner.path && basename(file) === name);
  }
  return checkProgram(path, text, document.regions[0]?.options.kind ?? "tool");
}

function checkMarkdown(
  document: LanguageDocument,
  kind: Exclude<LanguageDocument["kind"], "star" | undefined>,
): readonly Finding[] {
  const readFile = (name: string): string | undefined => document.readBeside(name);
  return checkFile(document.path, document.text, { kind, readFile }).findings;
}

/** The findings of a program that no markdown file names: a library, or a test. */
function checkProgram(file: string, written: string, kind: ScriptKind): readonly Finding[] {
  const text = written.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const script = { text, place: { file, line: 1, column: 1 } };
  const findings = findFaults(script, kind);
  const view = new ScriptView(script, kind, kind === "test" ? { fstrings: true } : {}, findings);
  // A tree with faults lacks statements: names would seem to be unused.
  if (view.tree.problems.length === 0) {
    lintFlow(view);
    lintCalls(view);
    lintValues(view, undefined, false);
  }
  const lines = text.split("\n");
  // `t` of a test is a parameter, whose methods no value has.
  const isTestFunction = ({ code, column, line }: Finding): boolean =>
    kind === "test" &&
    code === "unknown_member" &&
    /(?:^|[^\w.])t\.$/.test([...(lines[line - 1] ?? "")].slice(0, column - 1).join(""));
  return sortFindings(findings.filter((finding) => !isTestFunction(finding)));
}

function findFaults(
  script: { readonly text: string; readonly place: { file: string; line: number; column: number } },
  kind: ScriptKind,
): Finding[] {
  try {
    compile(script.text, compileOptions(script, kind));
    return [];
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    if (error.problems.length === 0)
      return [{ ...script.place, code: "script_limit", severity: "error", message: error.message }];
    const lines = script.text.split("\n");
    return error.problems.map(({ message, position }) => {
      const line = lines[position.line - 1] ?? "";
      const characters = [...line];
      const hint = languageHint({
        message,
        line,
        before: characters.slice(0, position.column - 1).join(""),
        after: characters.slice(position.column - 1).join(""),
        kind,
        names: [],
      });
      return {
        ...position,
        code: languageCode(message),
        severity: "error",
        message,
        ...(hint !== undefined && { hint }),
      };
    });
  }
}

function toDiagnostic(document: LanguageDocument, finding: Finding): Diagnostic {
  const { code, column, hint, line, message, severity } = finding;
  const lineStart = document.offsetAt({ line: line - 1, character: 0 });
  const lineEnd = document.offsetAt({ line, character: 0 });
  const text = document.text.slice(lineStart, lineEnd).replace(/\r?\n$/, "");
  // Columns count characters, positions of the protocol count units of UTF-16.
  const start = Math.min([...text].slice(0, column - 1).join("").length, text.length);
  const isScript = document.regionAt(lineStart + start) !== undefined;
  const end = start + lengthOfToken(text.slice(start), isScript);
  return {
    range: document.range(lineStart + start, lineStart + end),
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: "toolweave",
    message: hint === undefined ? message : `${message}\n${hint}`,
  };
}

/** The length of the name, the string or the operator that a text starts with. Words of YAML have dots and dashes. */
function lengthOfToken(text: string, isScript: boolean): number {
  if (!isScript) return /^[^\s:,#{}[\]]*/.exec(text)?.[0].length ?? 0;
  const token = /^(?:[\p{L}\p{N}_]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s\p{L}\p{N}_"']+)/u.exec(
    text,
  );
  return token?.[0].length ?? (text.trim() === "" ? 0 : 1);
}
