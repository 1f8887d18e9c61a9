import { resolve } from "node:path";
import { resolveSecretValue } from "../../input/secret-value.ts";
import { UsageError } from "../../process/errors.ts";
import { mcpSubject } from "./servers.ts";
import type { ConformSubject } from "./subject.ts";

/** The MCP server of a configuration file. */
export interface ConfiguredServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly prefix?: string;
  readonly trustAnnotations?: boolean;
  readonly timeout?: number;
}

/**
 * Creates the subject for the MCP server of a file for `--config`.
 *
 * @param at the place of a field, for errors.
 * @throws UsageError
 */
export function configuredServer(
  name: string,
  mcp: ConfiguredServer,
  folder: string,
  at: (field: string) => string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConformSubject> {
  const { command, args, cwd, url, prefix, trustAnnotations, timeout } = mcp;
  const base = {
    name: "mcp",
    prefix: prefix ?? (false as const),
    ...(trustAnnotations === undefined ? {} : { trustAnnotations }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
  const secrets: string[] = [];
  const values = (written: Readonly<Record<string, string>>, field: string): typeof written =>
    Object.fromEntries(
      Object.entries(written).map(([key, value]) => {
        const read = resolveSecretValue(value, env, at(`mcp/${field}/${key}`));
        if (read !== value) secrets.push(read);
        return [key, read];
      }),
    );
  if (url !== undefined && command === undefined) {
    if (args !== undefined || mcp.env !== undefined || cwd !== undefined) {
      throw new UsageError(`${at("mcp")}: args, env and cwd go with command, not with url.`);
    }
    const headers = values(mcp.headers ?? {}, "headers");
    return mcpSubject(name, { ...base, url, headers }, [...secrets, ...Object.values(headers)]);
  }
  if (command === undefined || url !== undefined) {
    throw new UsageError(`${at("mcp")} must have either command or url.`);
  }
  if (mcp.headers !== undefined) {
    throw new UsageError(`${at("mcp")}: headers go with url, not with command.`);
  }
  const started = {
    command,
    args: args ?? [],
    env: values(mcp.env ?? {}, "env"),
    cwd: resolve(folder, cwd ?? ""),
  };
  return mcpSubject(name, { ...base, ...started }, secrets);
}
