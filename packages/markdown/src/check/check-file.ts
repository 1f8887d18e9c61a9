import { acceptedEvents } from "../artifact/keys.ts";
import type { Artifact } from "../artifact/artifact.ts";
import { readArtifactFile, readInlineFile } from "../artifact/read-artifact.ts";
import { readFences } from "../text/fences.ts";
import type { Finding } from "../text/finding.ts";
import { sortFindings } from "../text/sort-findings.ts";
import { checkConfig } from "./check-config.ts";
import type { CheckedPart, FileCheck } from "./file-check.ts";
import { checkCondition, checkScript } from "./check-script.ts";

/** The kinds of files: an artifact, a file whose front matter has lists of them (`toolweave.md`, `harness.md`), or `toolweave.json`. */
export type FileKind = Artifact["kind"] | "inline" | "config";

/** How a file is checked. */
export interface CheckOptions {
  readonly kind: FileKind;
  /** Claims that are too narrow are errors, and advice is given. Default: false. */
  readonly strict?: boolean;
  /** The text of a file beside the markdown file, for `script_file`. Default: there are none. */
  readonly readFile?: (path: string) => string | undefined;
}

/** Checks a file: its front matter, and every script in it. All faults are found, and no script runs. */
export function checkFile(file: string, text: string, options: CheckOptions): FileCheck {
  const { kind, strict = false, readFile } = options;
  if (kind === "config") return checkConfig(file, text, strict);
  const reading = readFile === undefined ? {} : { readFile };
  const read =
    kind === "inline"
      ? readInlineFile(file, text, reading)
      : readArtifactFile(file, text, { kind, ...reading });
  const findings = [...read.findings];
  const parts: CheckedPart[] = [];
  for (const { artifact, fields } of read.parts) {
    const known = fields.findings.length;
    const check = checkScript(artifact, fields, strict);
    findings.push(...check.findings, ...fields.findings.slice(known));
    parts.push({ kind: artifact.kind, name: artifact.name, capabilities: check.capabilities });
    if (artifact.kind !== "hook") continue;
    if (artifact.when !== undefined)
      findings.push(...checkCondition(artifact.when, "when", "hook"));
    if (strict && acceptedEvents.includes(artifact.event))
      findings.push({
        ...fields.places.value([...fields.path, "event"]),
        code: "rare_event",
        severity: "warning",
        message: `the event ${artifact.event} is only emitted by some hosts`,
        hint: "Only tool.pre and tool.post are emitted everywhere.",
      });
  }
  if ("draft" in read && read.draft?.kind === "bundle") {
    const { condition, name } = read.draft;
    if (condition !== undefined) findings.push(...checkCondition(condition, "condition", "bundle"));
    parts.unshift({ kind: "bundle", name, capabilities: [] });
  }
  if ("draft" in read && read.draft?.kind === "tool" && read.draft.script === undefined)
    findings.push(...findUnusedFence(read.frontMatter));
  const artifacts = read.parts.map(({ artifact }) => artifact);
  return { file, findings: sortFindings(findings), parts, artifacts };
}

/** A block of code in the body is never run unless the front matter names it. */
function findUnusedFence(frontMatter: {
  readonly file: string;
  readonly body: string;
  readonly bodyLine: number;
  readonly values: object;
}): readonly Finding[] {
  const { body, bodyLine, file, values } = frontMatter;
  if (Object.hasOwn(values, "script") || Object.hasOwn(values, "script_file")) return [];
  const fence = readFences(body, bodyLine).find(({ text }) => /^def run\(/m.test(text));
  if (fence === undefined) return [];
  const name = fence.name ?? "run";
  return [
    {
      file,
      line: fence.line - 1,
      column: 1,
      code: "fence_not_run",
      severity: "warning",
      message: "this block is a text for the model: code in the body is never run",
      hint: `Move it to \`script: |\`, or name it: \`\`\`starlark ${name}, and script: "#${name}".`,
    },
  ];
}
