import { dirname } from "node:path";
import type { ConfigDescription, ConfigPart, ConfigPartKind } from "@toolweave/config";
import type { CliIo } from "../process/cli-io.ts";
import { UntrustedConfig } from "../process/exit-code.ts";
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
        : `has changed since it was trusted (${changesSince(before, description).join(", ")})`;
    throw new UntrustedConfig(
      `${safeLine(path)} ${state}. Nothing was started or read. \`${safeLine(command)}\` in a terminal lists what it does and asks whether to trust it.`,
    );
  }
  io.stderr.write(trustQuestionText(description, before));
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
  markdown: "runs scripts of the folder",
  script: "runs the script of the",
  builtin: "has the built-in tools",
  url: "connects to",
  document: "reads the document",
  prompt: "prompts agents with",
  policy: "decides",
  store: "keeps calls and grants in",
  setting: "sets",
  file: "is",
};

/**
 * The text before the question: every part in full, on a line of its own, and what is gone. Nothing is cut: what a person
 * does not see cannot be trusted.
 */
export function trustQuestionText(
  description: ConfigDescription,
  before: TrustedConfig | undefined,
): string {
  const { path, parts } = description;
  const kinds = Object.keys(kindTexts) as ConfigPartKind[];
  const listed = kinds
    .filter((kind) => kind !== "file")
    .flatMap((kind) => parts.filter((part) => part.kind === kind));
  const now = toDigests(parts);
  const gone = Object.keys(before?.parts ?? {}).filter((key) => !Object.hasOwn(now, key));
  const lines = [
    ...listed.map((part) => partLine(part, before)),
    ...gone.map((key) => `- ${"no longer".padEnd(25)} ${safeValue(key)}`),
  ];
  const head =
    before === undefined
      ? `${safeLine(path)} is in this folder and is not trusted yet.`
      : `${safeLine(path)} has changed since it was trusted (+ new, ! changed, - gone): ${changesSince(before, description).join(", ")}.`;
  return `${head}\nWith this file the command\n${lines.join("\n")}\n`;
}

function partLine(part: ConfigPart, before: TrustedConfig | undefined): string {
  const { kind, name, text, digest } = part;
  const known = before?.parts[`${kind} ${name}`];
  const mark = before === undefined || known === digest ? " " : known === undefined ? "+" : "!";
  const isNamed = kind === "program" || kind === "url";
  const line = kind === "setting" ? `${name} to ${text}` : `${text}${isNamed ? ` [${name}]` : ""}`;
  return `${mark} ${kindTexts[kind].padEnd(25)} ${safeValue(line)}`;
}

/** Maximum number of changes, and of characters of one, in the message that the list of all parts follows. */
const maxChangeLength = 300;
const maxChanges = 12;

/** Kind and name of everything that differs from what was trusted. */
function changesSince(before: TrustedConfig, { parts }: ConfigDescription): readonly string[] {
  const now = toDigests(parts);
  const changes = [
    ...Object.keys(now)
      .filter((key) => before.parts[key] !== now[key])
      .map((key) => `${key} is ${Object.hasOwn(before.parts, key) ? "changed" : "new"}`),
    ...Object.keys(before.parts)
      .filter((key) => !Object.hasOwn(now, key))
      .map((key) => `${key} is gone`),
  ].map(cutChange);
  const left = changes.length - maxChanges;
  return left > 0 ? [...changes.slice(0, maxChanges), `and ${left} more`] : changes;
}

function cutChange(change: string): string {
  const line = safeValue(change);
  if (line.length <= maxChangeLength) return line;
  return `${line.slice(0, maxChangeLength)}… (${line.length - maxChangeLength} more characters)`;
}
