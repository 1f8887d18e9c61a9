import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../process/exit-code.ts";
import type { ApiOptions } from "./api-options.ts";

/** The options that name the sources of tools. */
export interface ToolOptions extends Partial<ApiOptions> {
  /** Sources without an option: see `sortSources`. */
  readonly sources?: readonly string[];
  /** Paths of modules that export tools. */
  readonly tools?: readonly string[];
  /** Commands and URLs of MCP servers. */
  readonly mcp?: readonly string[];
  /** A folder: tools for its files, and for commands in it. */
  readonly workspace?: string;
  /** A `toolweave.json`, or a file with `mcpServers` or `servers`. */
  readonly config?: string;
  /** The configuration was found, not named: it has to be trusted. */
  readonly found?: boolean;
}

/** The sources of tools, with the default applied. */
export interface ResolvedSources {
  readonly openapi: readonly string[];
  readonly mcp: readonly string[];
  readonly tools: readonly string[];
  /** An absolute path. */
  readonly workspace?: string;
  /** An absolute path. */
  readonly config?: string;
  /** True when the configuration was found in the current folder: see `assertTrusted`. */
  readonly found: boolean;
}

/** The configuration that is looked for in the current folder. */
export const configFile = "toolweave.json";

/**
 * Resolves the sources of a command's tools: those of the options, else the `toolweave.json` of this folder.
 *
 * @param howToName the way to name a source, for the error if there is none.
 * @throws UsageError if there is no source, and for options that cannot apply to several sources.
 */
export function resolveSources(
  options: ToolOptions,
  howToName = "name a URL or a file, or use --openapi, --mcp, --tools, --workspace or --config",
): ResolvedSources {
  const { openapi = [], mcp = [], tools = [], workspace, config } = options;
  const isNothing =
    openapi.length + mcp.length + tools.length === 0 && (workspace ?? config) === undefined;
  if (isNothing && !existsSync(resolve(configFile))) {
    throw new UsageError(`No tools: ${howToName}. There is no toolweave.json in this folder.`);
  }
  const file = isNothing ? configFile : config;
  assertMeaningful(options, { openapi, mcp }, file);
  const found = file !== undefined && (isNothing || options.found === true);
  return {
    openapi,
    mcp,
    tools,
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
    ...(file === undefined ? {} : { config: resolve(file) }),
    found,
  };
}

function assertMeaningful(
  options: ToolOptions,
  { openapi, mcp }: Pick<ResolvedSources, "openapi" | "mcp">,
  file: string | undefined,
): void {
  const apiOptions = [
    ...(options.baseUrl === undefined ? [] : ["--base-url"]),
    ...((options.header ?? []).length === 0 ? [] : ["--header"]),
    ...((options.auth ?? []).length === 0 ? [] : ["--auth"]),
  ];
  const [first] = apiOptions;
  if (first === undefined) return;
  if (file !== undefined) {
    throw new UsageError(`${first} applies to --openapi and --mcp only: write it into ${file}.`);
  }
  if (openapi.length + mcp.length === 0) {
    throw new UsageError(`${first} applies to --openapi and --mcp only, and not to a module.`);
  }
  const [server] = mcp;
  if (server === undefined) return;
  if (openapi.length + mcp.length > 1) {
    throw new UsageError(
      `${first} applies to one source, but there are several: use a single source.`,
    );
  }
  if (first === "--base-url") throw new UsageError("--base-url is for --openapi only.");
  if (!/^https?:\/\//i.test(server)) {
    throw new UsageError(
      `${first} applies to servers with a URL only: set "env" for a program in a file for --config.`,
    );
  }
}
