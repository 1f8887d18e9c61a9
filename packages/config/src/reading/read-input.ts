import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError, type JsonValue } from "@toolweave/core";
import { decodeText, readRegularFile } from "../files/regular-file.ts";
import { configFolder, parseConfig, readConfigValue, type ConfigText } from "./config-text.ts";
import type { ConfigInput } from "./references.ts";

/**
 * Reads a configuration from a file, or takes an object as one.
 *
 * @param given the folder to which its paths are relative. Default: the file's; for an object the current one.
 * @throws ToolError `unavailable` for a file that cannot be read, `invalid_configuration` for one that is no JSON.
 */
export function readInput(
  input: string | URL | object,
  given: string | undefined,
): { readonly text: ConfigText; readonly folder: string } {
  if (typeof input !== "string" && !(input instanceof URL)) {
    return { text: readConfigValue(input), folder: resolve(given ?? "") };
  }
  const path = resolve(input instanceof URL ? fileURLToPath(input) : input);
  let written: string;
  try {
    written = decodeText(readRegularFile(path));
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    throw new ToolError("unavailable", `The file ${String(input)} cannot be read (${code}).`, {
      cause: error,
      retryable: false,
    });
  }
  const text = parseConfig(written, String(input));
  return { text, folder: resolve(given ?? configFolder(path)) };
}

/** The `inputs` of a configuration of VS Code, by their ids. */
export function readInputs(value: JsonValue): ReadonlyMap<string, ConfigInput> {
  const { inputs } = (value ?? {}) as { readonly inputs?: unknown };
  const list = Array.isArray(inputs) ? (inputs as readonly (ConfigInput | null)[]) : [];
  return new Map(
    list.flatMap((input) => (typeof input?.id === "string" ? [[input.id, input]] : [])),
  );
}
