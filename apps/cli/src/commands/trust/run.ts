import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { ConfigDescription, ConfigPart, ConfigPartKind } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { asking, canAsk, isYes } from "../../prompt/questions.ts";
import { safeJson, safeLine } from "../../render/safe-text.ts";
import { shellLine } from "../../render/shell-line.ts";
import { configFile } from "../../input/tool-options.ts";
import { digestsOf, TrustedConfigs, type TrustedConfig } from "../../store/trusted-configs.ts";
import { UntrustedConfig, UsageError } from "../../process/errors.ts";

/** The options of `toolweave trust`. */
export interface TrustOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `toolweave trust`: trusts the configuration of a folder, lists those that are trusted, or revokes one. */
export async function trust(
  folder: string | undefined,
  options: TrustOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { list = false, revoke = false, yes = false, json = false } = options;
  if (list && (revoke || yes || folder !== undefined)) {
    throw new UsageError("--list takes neither a folder nor another option.");
  }
  if (revoke && yes) throw new UsageError("--revoke and --yes exclude each other.");
  const trusted = new TrustedConfigs(io.env);
  if (list) return listTrusted(trusted, json, output);
  const path = configPath(join(folder ?? "", configFile));
  if (revoke) {
    const wasTrusted = trusted.revoke(path);
    const text = wasTrusted ? "is no longer trusted" : "was not trusted";
    if (json) await output.write(`${safeJson(JSON.stringify({ path, revoked: wasTrusted }))}\n`);
    else await output.write(`${safeLine(path)} ${text}.\n`);
    return exitCode.completed;
  }
  const description = await described(path);
  const before = trusted.get(path);
  if (before?.digest !== description.digest) {
    if (yes) output.say(questionText(description, before).trimEnd());
    else await askToTrust(description, before, json, io);
    await assertSame(description);
    trusted.add(description, Date.now());
  }
  const { digest } = description;
  if (json) await output.write(`${safeJson(JSON.stringify({ path, digest, trusted: true }))}\n`);
  else await output.write(`${safeLine(path)} is trusted.\n`);
  return exitCode.completed;
}

/**
 * Makes sure that a configuration which was found in the current folder is trusted as it is now. On a terminal the
 * person is asked; elsewhere, with `--json` and in CI it is refused.
 *
 * @param path of the file that was found.
 * @throws UntrustedConfig, UsageError for a file that cannot be read
 */
export async function assertTrusted(
  path: string,
  { json = false }: { readonly json?: boolean },
  io: CliIo,
): Promise<void> {
  const trusted = new TrustedConfigs(io.env);
  const description = await described(configPath(path));
  const before = trusted.get(description.path);
  if (before?.digest === description.digest) return;
  await askToTrust(description, before, json, io);
  await assertSame(description);
  trusted.add(description, Date.now());
}

async function listTrusted(
  trusted: TrustedConfigs,
  json: boolean,
  output: Output,
): Promise<number> {
  const all = trusted.list();
  if (json) {
    const configs = all.map(({ path, digest, trustedAt }) => ({ path, digest, trustedAt }));
    await output.write(`${safeJson(JSON.stringify({ configs }, null, 2))}\n`);
    return exitCode.completed;
  }
  for (const { path, trustedAt } of all) {
    await output.write(`${safeLine(path)}  since ${new Date(trustedAt).toISOString()}\n`);
  }
  await output.write(`${all.length} trusted\n`);
  return exitCode.completed;
}

/** The same file under one path, whatever links lead to its folder. */
function configPath(path: string): string {
  const file = resolve(path);
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return file;
  }
}

async function described(path: string): Promise<ConfigDescription> {
  const { describeConfig } = await import("@toolweave/config");
  try {
    return describeConfig(path);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** Nothing may change between what is shown and what is trusted. */
async function assertSame({ path, digest }: ConfigDescription): Promise<void> {
  if ((await described(path)).digest === digest) return;
  throw new UntrustedConfig(
    `${safeLine(path)} or a file that it names was changed while the question was open. Nothing was started. Run the command again.`,
  );
}

async function askToTrust(
  description: ConfigDescription,
  before: TrustedConfig | undefined,
  json: boolean,
  io: CliIo,
): Promise<void> {
  const { path } = description;
  const command = shellLine(["toolweave", "trust", dirname(path)]);
  const isCi = !/^(?:|0|false)$/i.test(io.env["CI"] ?? "");
  if (json || isCi || !canAsk(io)) {
    const state =
      before === undefined
        ? "is not trusted"
        : `has changed since it was trusted (${changesSince(before, description).join(", ")})`;
    throw new UntrustedConfig(
      `${safeLine(path)} ${state}. Nothing of it was started or read. \`${safeLine(command)}\` in a terminal shows what it does and asks whether to trust it.`,
    );
  }
  io.stderr.write(questionText(description, before));
  const isTrusted = await asking(io, async (question) => isYes(await question("Trust it? [y/N] ")));
  if (isTrusted) return;
  throw new UntrustedConfig(`${safeLine(path)} is not trusted. Nothing of it was started or read.`);
}

/** What the parts of each kind are to a person. In the order in which they are shown. */
const kindTexts: Readonly<Record<ConfigPartKind, string>> = {
  program: "starts",
  module: "runs the file",
  package: "runs the package",
  envFile: "takes variables from",
  variable: "reads the variable",
  url: "connects to",
  document: "reads the document",
  prompt: "prompts agents with",
  policy: "decides",
  store: "keeps calls and grants in",
  file: "is",
};

/** Far more than a person reads; what follows is counted. */
const maxLines = 200;
const maxLineLength = 300;

function questionText(description: ConfigDescription, before: TrustedConfig | undefined): string {
  const { path, parts } = description;
  const kinds = Object.keys(kindTexts) as ConfigPartKind[];
  const shown = kinds
    .filter((kind) => kind !== "file")
    .flatMap((kind) => parts.filter((part) => part.kind === kind));
  const lines = shown.slice(0, maxLines).map((part) => partLine(part, before));
  if (shown.length > maxLines) lines.push(`  … and ${shown.length - maxLines} more`);
  const head =
    before === undefined
      ? `${safeLine(path)} was found in this folder and is not trusted yet.`
      : `${safeLine(path)} has changed since it was trusted: ${changesSince(before, description).join(", ")}.`;
  return `${head}\nWith it this command\n${lines.join("\n")}\n`;
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
  const now = digestsOf(parts);
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
