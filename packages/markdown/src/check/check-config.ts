import type { JsonObject } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { readEntries } from "../artifact/bundle.ts";
import { findDuplicates } from "../artifact/duplicates.ts";
import { Fields } from "../artifact/fields.ts";
import type { Finding } from "../text/finding.ts";
import { jsonPlaces } from "../text/json-places.ts";
import { sortFindings } from "../text/sort-findings.ts";
import type { CheckedPart, FileCheck } from "./file-check.ts";
import { checkCondition, checkScript } from "./check-script.ts";

/**
 * Checks the tools and hooks that `toolweave.json` itself has. Entries of `tools` that are texts name modules, and the rest
 * of the file is checked when it is loaded. A fault in a script has the place of the script's text.
 */
export function checkConfig(file: string, text: string, strict: boolean): FileCheck {
  const places = jsonPlaces(file, text);
  const config = parseObject(text);
  if (config === undefined) {
    const hint = "`toolweave doctor` names the place.";
    const message = "the file is no JSON object";
    const finding = { file, line: 1, column: 1, code: "not_json", severity: "error" } as const;
    return { file, findings: [{ ...finding, message, hint }], parts: [], artifacts: [] };
  }
  const findings: Finding[] = [];
  const checked: CheckedPart[] = [];
  const parts = readEntries(
    new Fields(config, places, { findings }),
    { file, body: "", bodyLine: 1 },
    (entry) => typeof entry !== "string",
  );
  for (const { artifact, fields } of parts) {
    const known = fields.findings.length;
    const check = checkScript(artifact, fields, strict);
    const inScripts = [...check.findings];
    if (artifact.kind === "hook" && artifact.when !== undefined)
      inScripts.push(...checkCondition(artifact.when, "when", "hook"));
    findings.push(...fields.findings.slice(known));
    findings.push(...inScripts.map((finding) => moveToValue(finding, file, places.value)));
    checked.push({ kind: artifact.kind, name: artifact.name, capabilities: check.capabilities });
  }
  const artifacts = parts.map(({ artifact }) => artifact);
  findings.push(...findDuplicates(artifacts));
  return { file, findings: sortFindings(findings), parts: checked, artifacts };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A finding in the text of a JSON value, at the place of the value. */
function moveToValue(
  finding: Finding,
  file: string,
  findPlace: (path: readonly (string | number)[]) => Pick<Finding, "file" | "line" | "column">,
): Finding {
  const pointer = finding.file.startsWith(`${file}#/`) ? finding.file.slice(file.length + 2) : "";
  if (pointer === "") return finding;
  const path = pointer.split("/").map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const { column, line, message } = finding;
  const { file: _file, line: _line, column: _column, ...rest } = finding;
  return {
    ...findPlace(path),
    ...rest,
    message: `${message} (line ${line}, column ${column} of ${String(path.at(-1))})`,
  };
}
