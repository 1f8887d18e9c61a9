import { join } from "node:path";
import type { Command } from "commander";
import type { CliIo } from "../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../process/exit-code.ts";
import type { CommandContext, Output } from "../process/output.ts";
import type { TrustedConfigs } from "../store/trusted-configs.ts";

/** The options of `toolweave trust`. */
interface TrustOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const trustExamples = `
Examples:
  $ toolweave trust                                 # the toolweave.json of this folder
  $ toolweave trust ~/work/shop
  $ toolweave trust --list
  $ toolweave trust --revoke ~/work/shop

A toolweave.json in the current folder may come from someone else. On a terminal, the first command
that uses it asks whether to trust it; without a terminal, with --json and if CI is set the command
exits with 3. It asks again, and lists the changes, when the file changes or a file that it names:
prompts, envFiles, documents, and files and packages of the folder that programs are started with.
Other packages, lock files and dates of files do not count.
Trust is stored for this user only, in toolweave/trusted of $XDG_CONFIG_HOME or ~/.config.
`;

/** Registers `toolweave trust`. */
export function addTrust(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("trust")
    .summary("trust the toolweave.json of a folder")
    .description(
      "Lists what the toolweave.json of a folder starts, connects to and reads, and asks whether to trust it. Commands use a file in the current folder only if it is trusted and unchanged. A file that --config names needs no trust.",
    )
    .argument("[folder]", "the folder (default: the current one)")
    .option("--list", "list the trusted files")
    .option("--revoke", "revoke the trust")
    .option("--yes", "trust it without asking")
    .option("--json", "print the result as JSON, without asking")
    .addHelpText("after", trustExamples + exitCodesHelp({ 3: "the file is not trusted" }))
    .action(async (folder: string | undefined, options: TrustOptions) => {
      end(await trust(folder, options, io, output));
    });
}

/** `toolweave trust`: trusts the configuration of a folder, lists those that are trusted, or revokes one. */
async function trust(
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
  const { TrustedConfigs } = await import("../store/trusted-configs.ts");
  const trusted = new TrustedConfigs(io.env);
  if (list) return listTrusted(trusted, json, output);
  const [{ configFile }, { assertUnchanged, describeConfigFile, resolveConfigPath }] =
    await Promise.all([import("../input/tool-options.ts"), import("../sources/config-trust.ts")]);
  const { formatJson } = await import("../render/json.ts");
  const { safeLine } = await import("../render/text.ts");
  const path = resolveConfigPath(join(folder ?? "", configFile));
  if (revoke) {
    const wasTrusted = trusted.revoke(path);
    const text = wasTrusted ? "is no longer trusted" : "was not trusted";
    if (json) await output.write(formatJson({ path, revoked: wasTrusted }, output, 0));
    else await output.write(`${safeLine(path)} ${text}.\n`);
    return exitCode.completed;
  }
  const description = await describeConfigFile(path);
  const before = trusted.get(path);
  if (before?.digest !== description.digest) {
    const { askToTrust, trustQuestionText } = await import("../prompt/ask-to-trust.ts");
    if (yes) output.printMessage(trustQuestionText(description, before).trimEnd());
    else await askToTrust(description, before, json, io);
    await assertUnchanged(description);
    await trusted.add(description, Date.now());
  }
  const { digest } = description;
  if (json) await output.write(formatJson({ path, digest, trusted: true }, output, 0));
  else await output.write(`${safeLine(path)} is trusted.\n`);
  return exitCode.completed;
}

async function listTrusted(
  trusted: TrustedConfigs,
  json: boolean,
  output: Output,
): Promise<number> {
  const { formatJson } = await import("../render/json.ts");
  const { safeLine } = await import("../render/text.ts");
  const all = trusted.list();
  if (json) {
    const configs = all.map(({ path, digest, trustedAt }) => ({ path, digest, trustedAt }));
    await output.write(formatJson({ configs }, output));
    return exitCode.completed;
  }
  for (const { path, trustedAt } of all) {
    await output.write(`${safeLine(path)}  since ${new Date(trustedAt).toISOString()}\n`);
  }
  await output.write(`${all.length} trusted\n`);
  return exitCode.completed;
}
