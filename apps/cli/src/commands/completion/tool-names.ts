import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import type { NamedSources } from "./candidates.ts";
import { parseJsonObject, readTextFile } from "../shared/json-file.ts";

/** Larger documents take too long while a person waits for a completion. */
const maxDocumentBytes = 2_000_000;

/** Names that no shell gives a meaning to. */
const plainName = /^[\w.-]+$/;

/**
 * The names of tools that can be had without starting a program or sending a request: those of the lock, otherwise those
 * of OpenAPI documents that are files. Of a configuration in the current folder only if it is trusted.
 */
export async function quickToolNames(named: NamedSources, io: CliIo): Promise<readonly string[]> {
  const { config, openapi } = await sortWords(named);
  const isNothing = config === undefined && openapi.length === 0;
  // Others, such as a module, are named: the configuration in the folder is not read.
  if (isNothing && named.words.length > 0) return [];
  const path = resolve(config ?? configFile);
  const folder = dirname(path);
  if (openapi.length === 0) {
    const locked = lockedNames(join(folder, "toolweave.lock.json"));
    if (locked.length > 0) return locked;
  }
  const isUsable = !isNothing || (existsSync(path) && (await isTrusted(path, io)));
  if (!isUsable) return [];
  const documents = openapi.length > 0 ? toDocuments(openapi) : documentsIn(path);
  const files = Object.entries(documents).filter(([, value]) => isQuick(value, folder));
  if (files.length === 0) return [];
  const { loadConfig } = await import("@toolweave/config");
  const loaded = await loadConfig({ openapi: Object.fromEntries(files) }, { folder, env: io.env });
  try {
    await loaded.registry.ready;
    const names = [...loaded.registry.toolset().entries()].map(({ tool }) => tool.spec.name);
    return names.filter((name) => plainName.test(name));
  } finally {
    await loaded.close();
  }
}

/** Adds the files that are named without an option to those of their option; the other sources need a request. */
async function sortWords({ config, openapi, words }: NamedSources): Promise<NamedSources> {
  const files = words.filter((word) => isQuick({ file: word }, ""));
  if (files.length === 0) return { openapi, words, ...(config === undefined ? {} : { config }) };
  const { fileKind } = await import("@toolweave/config");
  const kinds = files.map((file) => [file, fileKind(readTextFile(resolve(file)) ?? "")] as const);
  const configuration =
    config ?? kinds.find(([, kind]) => kind !== undefined && kind !== "openapi")?.[0];
  return {
    openapi: [...openapi, ...kinds.flatMap(([file, kind]) => (kind === "openapi" ? [file] : []))],
    words,
    ...(configuration === undefined ? {} : { config: configuration }),
  };
}

function lockedNames(path: string): readonly string[] {
  const text = readTextFile(path);
  if (text === undefined) return [];
  const { version, tools, sources } = parseJsonObject(text, path);
  const lists = version === 1 ? [tools] : Object.values((sources ?? {}) as JsonObject);
  const names = lists.flatMap((list) => Object.keys((list ?? {}) as JsonObject));
  return names.filter((name) => plainName.test(name));
}

async function isTrusted(path: string, io: CliIo): Promise<boolean> {
  const { describeConfigFile, resolveConfigPath } = await import("../../sources/config-trust.ts");
  const { TrustedConfigs } = await import("../../store/trusted-configs.ts");
  const resolved = resolveConfigPath(path);
  const { digest } = await describeConfigFile(resolved);
  return new TrustedConfigs(io.env).get(resolved)?.digest === digest;
}

function toDocuments(files: readonly string[]): JsonObject {
  return Object.fromEntries(
    files.map((file, index) => [`document${index}`, { file: resolve(file) }]),
  );
}

/** The documents of a configuration, without credentials: names need none. */
function documentsIn(path: string): JsonObject {
  const { openapi } = parseJsonObject(readTextFile(path) ?? "", path);
  return Object.fromEntries(
    Object.entries((openapi ?? {}) as JsonObject).map(([name, value]) => {
      const { auth: _, headers: __, ...rest } = value as JsonObject;
      return [name, rest];
    }),
  );
}

function isQuick(value: unknown, folder: string): boolean {
  const { file, disabled } = value as { readonly file?: unknown; readonly disabled?: unknown };
  if (typeof file !== "string" || disabled === true) return false;
  const stat = statSync(resolve(folder, file), { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= maxDocumentBytes;
}
