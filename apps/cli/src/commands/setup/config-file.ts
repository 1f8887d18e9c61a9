import type { JsonObject } from "@toolweave/core";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";
import { describeConfigFile, resolveConfigPath } from "../../sources/config-trust.ts";
import { TrustedConfigs } from "../../store/trusted-configs.ts";
import { parseJsonObject, readTextFile, withJsonValue } from "../shared/json-file.ts";
import { writeTextFile } from "../shared/write-file.ts";
import type { NewSource } from "./new-source.ts";

/** A `toolweave.json` that is about to be changed. */
export interface ConfigFile {
  readonly path: string;
  /** undefined: it does not exist yet. */
  readonly text: string | undefined;
  readonly value: JsonObject;
  /** True for a new file, and for one that is trusted as it is: the change of its owner does not end that. */
  readonly isTrusted: boolean;
}

/**
 * Reads a configuration for a change.
 *
 * @throws UsageError for a file that cannot be read or is no JSON.
 */
export async function readConfigFile(file: string, io: CliIo): Promise<ConfigFile> {
  const path = resolveConfigPath(file);
  const text = readTextFile(path);
  if (text === undefined) return { path, text, value: {}, isTrusted: true };
  const { digest } = await describeConfigFile(path);
  const isTrusted = new TrustedConfigs(io.env).get(path)?.digest === digest;
  return { path, text, value: parseJsonObject(text, path), isTrusted };
}

/**
 * Writes the changed text of a configuration, and renews its trust if it was trusted before.
 *
 * @throws UsageError if the file has changed since it was read.
 */
export async function writeConfigFile(config: ConfigFile, text: string, io: CliIo): Promise<void> {
  const { path, isTrusted } = config;
  if (readTextFile(path) !== config.text) {
    throw new UsageError(`${safeLine(path)} has changed in the meantime. Run the command again.`);
  }
  await writeTextFile(path, text);
  if (!isTrusted) return;
  await new TrustedConfigs(io.env).add(await describeConfigFile(path), Date.now());
}

/** The text of a configuration with another source. */
export function withSource(text: string, { block, name, value }: NewSource): string {
  if (block !== "tools") return withJsonValue(text, [block, name], value);
  const isList = Array.isArray(parseJsonObject(text, "the configuration")["tools"]);
  return withJsonValue(text, isList ? ["tools", -1] : ["tools"], isList ? value : [value]);
}

/** The names that the sources of a configuration have. */
export function sourceNames(value: JsonObject): ReadonlySet<string> {
  const blocks = ["mcpServers", "servers", "mcp", "openapi", "agents"].map((key) => value[key]);
  return new Set(
    blocks.flatMap((block) =>
      typeof block === "object" && block !== null ? Object.keys(block) : [],
    ),
  );
}
