import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { ConfigDescription } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import type { CliIo } from "../process/cli-io.ts";
import { FileError, UntrustedConfig } from "../process/exit-code.ts";
import { askToTrust } from "../prompt/ask-to-trust.ts";
import { safeLine } from "../render/text.ts";
import { TrustedConfigs } from "../store/trusted-configs.ts";

/**
 * Makes sure that a configuration which was found in the current folder is trusted as it is now. On a terminal the
 * person is asked; elsewhere, with `--json` and in CI it is refused.
 *
 * @param found the path of the file that was found, or its description.
 * @throws UntrustedConfig, UsageError for a file that cannot be read
 */
export async function assertTrusted(
  found: string | ConfigDescription,
  { json = false }: { readonly json?: boolean },
  io: CliIo,
): Promise<void> {
  const trusted = new TrustedConfigs(io.env);
  const description =
    typeof found === "string" ? await describeConfigFile(resolveConfigPath(found)) : found;
  const before = trusted.get(description.path);
  if (before?.digest === description.digest) return;
  await askToTrust(description, before, json, io);
  await assertUnchanged(description);
  await trusted.add(description, Date.now());
}

/** The same file under one path, whatever links lead to its folder. */
export function resolveConfigPath(path: string): string {
  const file = resolve(path);
  try {
    return join(realpathSync(dirname(file)), basename(file));
  } catch {
    return file;
  }
}

export async function describeConfigFile(path: string): Promise<ConfigDescription> {
  const { describeConfig } = await import("@toolweave/config");
  try {
    return describeConfig(path);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new FileError(error.message, { cause: error });
  }
}

/** Nothing may change between what is shown and what is trusted. */
export async function assertUnchanged({ path, digest }: ConfigDescription): Promise<void> {
  if ((await describeConfigFile(path)).digest === digest) return;
  throw new UntrustedConfig(
    `${safeLine(path)} or a file that it names changed before you answered. Nothing was started. Run the command again.`,
  );
}
