import type { JsonObject } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { parseDocument } from "yaml";
import type { Document } from "yaml";
import type { Finding } from "./finding.ts";
import { TextLines } from "./lines.ts";
import { splitFile } from "./split-file.ts";
import { RecordedPlaces } from "./value-places.ts";
import type { ValuePlaces } from "./value-places.ts";
import { isLocalFault, pathAt, repairFault, toFinding } from "./yaml-faults.ts";
import { YamlReader } from "./yaml-values.ts";

/** The front matter of a markdown file, and the text below it. */
export interface FrontMatter {
  readonly file: string;
  /** The values in the order of the file. Values with faults are `null`, or as YAML can read them. */
  readonly values: JsonObject;
  /** The places of keys and values. */
  readonly places: ValuePlaces;
  /** The text below the closing delimiter, with line breaks `\n`. */
  readonly body: string;
  /** The line of the file on which the body starts. */
  readonly bodyLine: number;
  readonly findings: readonly Finding[];
  /** False: the file has no front matter whose fields can be read; the findings name the reason. */
  readonly isReadable: boolean;
}

const maxRepairs = 20;

const yamlOptions = {
  keepSourceTokens: true,
  strict: true,
  version: "1.2",
  schema: "core",
  merge: false,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: "error",
} as const;

/**
 * Reads the front matter of a markdown file: YAML 1.2 without tags, with unique keys and at most 20 aliases, in at most
 * 256 KiB. All faults are reported, not only the first.
 *
 * @param file the name of the file in findings.
 */
export function readFrontMatter(file: string, text: string): FrontMatter {
  const parts = splitFile(file, text);
  if ("code" in parts) {
    const places = new RecordedPlaces({ file, line: parts.line, column: 1 });
    return {
      file,
      values: {},
      places,
      body: "",
      bodyLine: 1,
      findings: [parts],
      isReadable: false,
    };
  }
  const { body, bodyLine, yaml, yamlLine } = parts;
  const places = new RecordedPlaces({ file, line: yamlLine - 1, column: 1 });
  const findings: Finding[] = [];
  const { document, lines, isIntact } = parse(new TextLines(file, yaml, yamlLine), {
    places,
    findings,
  });
  const result = { file, places, body, bodyLine, findings };
  if (document === undefined) return { ...result, values: {}, isReadable: false };
  const reader = new YamlReader(document, lines, places);
  const values = reader.read(document.contents, []);
  // Values that a fault of the structure has moved cause faults of their own.
  if (isIntact) findings.push(...reader.findings);
  if (isIntact && values !== null && !isObject(values))
    findings.push({
      ...lines.place(0),
      code: "not_a_map",
      severity: "error",
      message: "the front matter must be a map of fields",
      hint: "Write `key: value` lines.",
    });
  return {
    ...result,
    values: isObject(values) ? values : {},
    isReadable: isIntact && (values === null || isObject(values)),
  };
}

/** Reads YAML. A line with a fault that can be repaired is reported, and the rest is read without it. */
function parse(
  source: TextLines,
  into: { readonly places: RecordedPlaces; readonly findings: Finding[] },
): {
  readonly document: Document | undefined;
  readonly lines: TextLines;
  readonly isIntact: boolean;
} {
  let lines = source;
  const firstLine = source.place(0).line;
  for (let count = 0; ; count++) {
    let document: Document;
    try {
      document = parseDocument(lines.text, yamlOptions) as Document;
    } catch (error) {
      // The parser calls itself for each level of nesting.
      if (!(error instanceof RangeError)) throw error;
      const message = "maps and lists are nested too deeply";
      into.findings.push({ ...lines.place(0), code: "yaml_depth", severity: "error", message });
      return { document: undefined, lines, isIntact: false };
    }
    const first = document.errors.find((error) => !isLocalFault(error));
    const repair =
      first === undefined || count >= maxRepairs ? undefined : repairFault(first, lines);
    if (repair === undefined) {
      const reported = new Set<number>();
      for (const error of document.errors) {
        const finding = toFinding(error, lines);
        // One fault of the structure often causes others on its line.
        if (!isLocalFault(error) && reported.has(finding.line)) continue;
        reported.add(finding.line);
        into.findings.push(finding);
        into.places.addFault(pathAt(document.contents, error.pos[0]));
      }
      return { document, lines, isIntact: first === undefined };
    }
    into.findings.push(repair.finding);
    lines = new TextLines(source.file, repair.text, firstLine);
    if (repair.finding.code === "yaml_colon") {
      const { line } = repair.finding;
      const repaired = parseQuietly(lines.text);
      const offset = repair.text.split("\n", line - firstLine + 1).join("\n").length;
      if (repaired !== undefined) into.places.addFault(pathAt(repaired.contents, offset));
    }
  }
}

function parseQuietly(text: string): Document | undefined {
  try {
    return parseDocument(text, yamlOptions) as Document;
  } catch {
    return undefined;
  }
}
