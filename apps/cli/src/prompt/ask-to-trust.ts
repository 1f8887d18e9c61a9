import { dirname } from "node:path";
import type { ConfigDescription, ConfigPart, ConfigPartKind } from "@toolweave/config";
import type { CliIo } from "../process/cli-io.ts";
import { UntrustedConfig } from "../process/exit-code.ts";
import { wrapText } from "../render/columns.ts";
import { safeLine, safeValue, shellLine } from "../render/text.ts";
import { toDigests, type TrustedConfig } from "../store/trusted-configs.ts";
import { withQuestions, canPrompt, isYes } from "./questions.ts";

export async function askToTrust(
  description: ConfigDescription,
  before: TrustedConfig | undefined,
  json: boolean,
  io: CliIo,
): Promise<void> {
  const { path } = description;
  const command = shellLine(["toolweave", "trust", dirname(path)]);
  const isCi = !/^(?:|0|false)$/i.test(io.env["CI"] ?? "");
  if (json || isCi || !canPrompt(io)) {
    const state =
      before === undefined
        ? "is not trusted"
        : `has changed since it was trusted (${describeChanges(before, description)})`;
    throw new UntrustedConfig(
      `${safeLine(path)} ${state}. Nothing was started or read. \`${safeLine(command)}\` in a terminal lists what it does and asks whether to trust it.`,
    );
  }
  io.stderr.write(trustQuestionText(description, before, io.stderr.columns));
  const isTrusted = await withQuestions(io, async (question) =>
    isYes(await question("Trust it? [y/N] ")),
  );
  if (isTrusted) return;
  throw new UntrustedConfig(`${safeLine(path)} is not trusted. Nothing was started or read.`);
}

/** The wording for each kind of part, in the order in which they are displayed. */
const kindTexts: Readonly<Record<ConfigPartKind, string>> = {
  program: "starts",
  module: "runs the file",
  package: "runs the package",
  envFile: "takes variables from",
  variable: "reads the variable",
  workspace: "works in the folder",
  markdown: "runs scripts from",
  script: "runs the script of",
  builtin: "has built-in tools",
  url: "connects to",
  document: "reads the document",
  prompt: "prompts agents with",
  policy: "decides",
  store: "stores calls in",
  setting: "sets",
  file: "is",
};

const labelWidth = Math.max(...Object.values(kindTexts).map(({ length }) => length));
const minTextWidth = 20;

/**
 * The text before the question: every part in full, beginning with a line of its own, and what is gone. Nothing is cut:
 * what a person does not see cannot be trusted.
 *
 * @param columns the width of the terminal. Default: 80.
 */
export function trustQuestionText(
  description: ConfigDescription,
  before: TrustedConfig | undefined,
  columns = 80,
): string {
  const { path, parts } = description;
  const kinds = Object.keys(kindTexts) as ConfigPartKind[];
  const listed = kinds
    .filter((kind) => kind !== "file")
    .flatMap((kind) => parts.filter((part) => part.kind === kind));
  const now = toDigests(parts);
  const gone = Object.keys(before?.parts ?? {}).filter((key) => !Object.hasOwn(now, key));
  const entry = (mark: string, label: string, text: string): string => {
    const indent = labelWidth + 3;
    // No line of a text can look like an entry: it is indented.
    const lines = wrapText(safeValue(text), Math.max(minTextWidth, columns - indent));
    return `${mark} ${label.padEnd(labelWidth)} ${lines.join(`\n${" ".repeat(indent)}`)}\n`;
  };
  const entries = [
    ...listed.map((part) => entry(toMark(part, before), kindTexts[part.kind], toText(part))),
    ...gone.map((key) => entry("-", "no longer", toLabel(key))),
  ];
  const head =
    before === undefined
      ? `${safeLine(path)} is not trusted yet.`
      : `${safeLine(path)} has changed since it was trusted (+ new, ! changed, - gone): ${describeChanges(before, description)}.`;
  return `${wrapText(head, columns).join("\n")}\nWith it, toolweave\n${entries.join("")}`;
}

function toMark({ kind, name, digest }: ConfigPart, before: TrustedConfig | undefined): string {
  const known = before?.parts[`${kind} ${name}`];
  return before === undefined || known === digest ? " " : known === undefined ? "+" : "!";
}

function toText({ kind, name, text }: ConfigPart): string {
  if (kind === "setting") return `${name} to ${text}`;
  return kind === "program" || kind === "url" ? `${text} [${name}]` : text;
}

/** Names a part for people, by its kind and name. */
function toLabel(key: string): string {
  const [, kind = "", name = ""] = /^(\S+) (.*)$/s.exec(key) ?? [];
  switch (kind as ConfigPartKind) {
    case "policy":
      return name === "policy" ? name : `trustAnnotations for ${JSON.stringify(name)}`;
    case "store":
    case "workspace":
    case "setting":
    case "script":
      return name;
    case "module":
      return `file ${name}`;
    case "url":
      return `address of ${name}`;
    case "builtin":
      return `built-in tools ${name}`;
    case "markdown":
      return `scripts of ${name}`;
    default:
      return key;
  }
}

/** Maximum number of changes, and of characters of one, in the message that the list of all parts follows. */
const maxChangeLength = 300;
const maxChanges = 12;

/** Describes everything that differs from what was trusted: `new: store; changed: file server.mjs`. */
function describeChanges(before: TrustedConfig, { parts }: ConfigDescription): string {
  const now = toDigests(parts);
  const differing = Object.keys(now).filter((key) => before.parts[key] !== now[key]);
  const isKnown = (key: string): boolean => Object.hasOwn(before.parts, key);
  const changes = [
    ...differing.filter((key) => !isKnown(key)).map((key) => ["new", key] as const),
    // The file itself has changed where anything in it has.
    ...differing.filter(isKnown).map((key) => ["changed", key] as const),
    ...Object.keys(before.parts)
      .filter((key) => !Object.hasOwn(now, key))
      .map((key) => ["gone", key] as const),
  ].filter(([, key], _, all) => all.length === 1 || !key.startsWith("file "));
  const texts = changes.slice(0, maxChanges).map(([what, key]) => `${what}: ${cut(toLabel(key))}`);
  const left = changes.length - texts.length;
  return [...texts, ...(left > 0 ? [`and ${left} more`] : [])].join("; ");
}

function cut(text: string): string {
  const line = safeValue(text);
  if (line.length <= maxChangeLength) return line;
  return `${line.slice(0, maxChangeLength)}… (${line.length - maxChangeLength} more characters)`;
}
