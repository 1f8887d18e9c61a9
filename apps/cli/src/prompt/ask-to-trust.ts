import { dirname } from "node:path";
import type { ConfigDescription, ConfigPart, ConfigPartKind } from "@toolweave/config";
import type { CliIo } from "../process/cli-io.ts";
import { UntrustedConfig } from "../process/exit-code.ts";
import { safeLine, shellLine } from "../render/text.ts";
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
  builtin: "has the built-in tools",
  url: "connects to",
  document: "reads the document",
  prompt: "prompts agents with",
  policy: "decides",
  store: "keeps calls and grants in",
  file: "is",
};

/** Far more than a person reads; further lines are counted. */
const maxLines = 200;
const maxLineLength = 300;

export function trustQuestionText(
  description: ConfigDescription,
  before: TrustedConfig | undefined,
): string {
  const { path, parts } = description;
  const kinds = Object.keys(kindTexts) as ConfigPartKind[];
  const listed = kinds
    .filter((kind) => kind !== "file")
    .flatMap((kind) => parts.filter((part) => part.kind === kind));
  const lines = listed.slice(0, maxLines).map((part) => partLine(part, before));
  if (listed.length > maxLines) lines.push(`  … and ${listed.length - maxLines} more`);
  const head =
    before === undefined
      ? `${safeLine(path)} is in this folder and is not trusted yet.`
      : `${safeLine(path)} has changed since it was trusted: ${changesSince(before, description).join(", ")}.`;
  return `${head}\nWith this file the command\n${lines.join("\n")}\n`;
}

function partLine(part: ConfigPart, before: TrustedConfig | undefined): string {
  const { kind, name, text, digest } = part;
  const known = before?.parts[`${kind} ${name}`];
  const mark = before === undefined || known === digest ? " " : known === undefined ? "+" : "!";
  const whose = kind === "program" || kind === "url" ? ` [${name}]` : "";
  const line = safeLine(`${text}${whose}`);
  const clipped = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
  return `${mark} ${kindTexts[kind].padEnd(25)} ${clipped}`;
}

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
  ].map((change) => safeLine(change).slice(0, maxLineLength));
  const left = changes.length - maxChanges;
  return left > 0 ? [...changes.slice(0, maxChanges), `${left} more`] : changes;
}
