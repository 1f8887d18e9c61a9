import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mcpSource } from "@toolweave/mcp";
import type { ToolSource } from "@toolweave/core";
import { compileCache } from "@toolweave/test-support";

const require = createRequire(import.meta.url);

/** MCP servers from npm, with what they need to start. */
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

/** The tools of one of them, as its users start it. */
export function realServer(packageName: string): ToolSource {
  const args = [findProgram(packageName), ...(realServers[packageName] ?? [])];
  return mcpSource({
    name: packageName,
    prefix: false,
    command: process.execPath,
    args,
    env: compileCache,
  });
}

/** The first program of a package. */
function findProgram(packageName: string): string {
  // Not every package exports its package.json: it is searched in node_modules.
  for (const folder of require.resolve.paths(packageName) ?? []) {
    const manifest = readText(join(folder, packageName, "package.json"));
    if (manifest === undefined) continue;
    const { bin } = JSON.parse(manifest) as { readonly bin: Readonly<Record<string, string>> };
    return join(folder, packageName, Object.values(bin)[0] as string);
  }
  throw new Error(`${packageName} is not installed.`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
