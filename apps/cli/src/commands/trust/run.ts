import { join } from "node:path";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { askToTrust, trustQuestionText } from "../../prompt/ask-to-trust.ts";
import { safeJson, safeLine } from "../../render/text.ts";
import {
  assertUnchanged,
  resolveConfigPath,
  describeConfigFile,
} from "../../sources/config-trust.ts";
import { TrustedConfigs } from "../../store/trusted-configs.ts";

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
  const path = resolveConfigPath(join(folder ?? "", configFile));
  if (revoke) {
    const wasTrusted = trusted.revoke(path);
    const text = wasTrusted ? "is no longer trusted" : "was not trusted";
    if (json) await output.write(`${safeJson(JSON.stringify({ path, revoked: wasTrusted }))}\n`);
    else await output.write(`${safeLine(path)} ${text}.\n`);
    return exitCode.completed;
  }
  const description = await describeConfigFile(path);
  const before = trusted.get(path);
  if (before?.digest !== description.digest) {
    if (yes) output.printMessage(trustQuestionText(description, before).trimEnd());
    else await askToTrust(description, before, json, io);
    await assertUnchanged(description);
    trusted.add(description, Date.now());
  }
  const { digest } = description;
  if (json) await output.write(`${safeJson(JSON.stringify({ path, digest, trusted: true }))}\n`);
  else await output.write(`${safeLine(path)} is trusted.\n`);
  return exitCode.completed;
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
