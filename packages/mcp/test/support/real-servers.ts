import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { compileCache } from "@toolweave/test-support";
import { mcpSource, type McpSource, type McpStdioServer } from "../../src/index.ts";

const require = createRequire(import.meta.url);

/** Servers from npm, with the arguments without which they do not start. */
export const realServers: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/server-everything": [],
  "@modelcontextprotocol/server-filesystem": [tmpdir()],
  "@modelcontextprotocol/server-memory": [],
  "@modelcontextprotocol/server-sequential-thinking": [],
  "@playwright/mcp": [],
  "@upstash/context7-mcp": [],
  "@bytebase/dbhub": ["--dsn", "sqlite:///:memory:"],
  "@modelcontextprotocol/server-github": [],
};

/** The tools of one of `realServers`. */
export function realSource(packageName: string): McpSource {
  return mcpSource(realServer(packageName, realServers[packageName]));
}

/** A server from npm as its users start it: the program of its package, with our Node.js. */
export function realServer(
  packageName: string,
  args: readonly string[] = [],
  more: Partial<McpStdioServer> = {},
): McpStdioServer {
  return {
    name: packageName,
    prefix: false,
    command: process.execPath,
    args: [findProgram(packageName), ...args],
    ...more,
    env: { ...compileCache, ...more.env },
  };
}

/** Debian's browser, if installed. */
export function chromium(): string | undefined {
  try {
    return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** The first program of a package. */
function findProgram(packageName: string): string {
  // Not every package exports its package.json: it is searched in node_modules.
  for (const folder of require.resolve.paths(packageName) ?? []) {
    const manifest = read(join(folder, packageName, "package.json"));
    if (manifest === undefined) continue;
    const { bin } = JSON.parse(manifest) as { readonly bin: Readonly<Record<string, string>> };
    return join(folder, packageName, Object.values(bin)[0] as string);
  }
  throw new Error(`${packageName} is not installed.`);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
