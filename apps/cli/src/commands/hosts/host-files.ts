import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The hosts whose configurations can be read and changed. */
export const hostNames = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "codex",
  "windsurf",
] as const;
export type HostName = (typeof hostNames)[number];

/** Everything that decides where hosts have their files. */
export interface HostPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The folder of the project. */
  readonly folder: string;
}

/** A file with the MCP servers of a host. */
export interface HostFile {
  readonly host: HostName;
  /** The name of the host, for people. */
  readonly title: string;
  /** An absolute path. The file need not exist. */
  readonly path: string;
  readonly format: "json" | "toml";
  /** The key of the servers in it. */
  readonly block: "mcpServers" | "servers" | "mcp_servers";
  readonly scope: "user" | "project";
}

interface Host {
  readonly title: string;
  readonly block: HostFile["block"];
  /** Of the user, for all projects. */
  readonly user: (place: HostPlace) => string;
  /** Relative to the folder of a project. */
  readonly project?: string;
}

/**
 * Where hosts look for MCP servers.
 *
 * @see https://modelcontextprotocol.io/quickstart/user
 * @see https://code.claude.com/docs/en/mcp
 * @see https://cursor.com/docs/context/mcp
 * @see https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
 * @see https://developers.openai.com/codex/mcp
 * @see https://docs.windsurf.com/windsurf/cascade/mcp
 */
const hosts: Readonly<Record<HostName, Host>> = {
  "claude-desktop": {
    title: "Claude Desktop",
    block: "mcpServers",
    user: (place) => join(appFolder(place), "Claude", "claude_desktop_config.json"),
  },
  "claude-code": {
    title: "Claude Code",
    block: "mcpServers",
    user: (place) => join(place.env["CLAUDE_CONFIG_DIR"] || homeFolder(place), ".claude.json"),
    project: ".mcp.json",
  },
  cursor: {
    title: "Cursor",
    block: "mcpServers",
    user: (place) => join(homeFolder(place), ".cursor", "mcp.json"),
    project: ".cursor/mcp.json",
  },
  vscode: {
    title: "VS Code",
    block: "servers",
    user: (place) => join(appFolder(place), "Code", "User", "mcp.json"),
    project: ".vscode/mcp.json",
  },
  codex: {
    title: "Codex",
    block: "mcp_servers",
    user: (place) =>
      join(place.env["CODEX_HOME"] || join(homeFolder(place), ".codex"), "config.toml"),
    project: ".codex/config.toml",
  },
  windsurf: {
    title: "Windsurf",
    block: "mcpServers",
    user: (place) => join(homeFolder(place), ".codeium", "windsurf", "mcp_config.json"),
  },
};

/** The file of a host that applies to all projects of the user. */
export function userFile(host: HostName, place: HostPlace): HostFile {
  return hostFile(host, "user", resolve(hosts[host].user(place)));
}

/** All files of a host: of the user, and of the project. */
export function hostFiles(host: HostName, place: HostPlace): readonly HostFile[] {
  const { project } = hosts[host];
  const user = userFile(host, place);
  if (project === undefined) return [user];
  return [user, hostFile(host, "project", resolve(place.folder, project))];
}

function hostFile(host: HostName, scope: HostFile["scope"], path: string): HostFile {
  const { title, block } = hosts[host];
  return { host, title, path, format: block === "mcp_servers" ? "toml" : "json", block, scope };
}

function homeFolder({ env, platform }: HostPlace): string {
  return (platform === "win32" ? env["USERPROFILE"] : env["HOME"]) || homedir();
}

/** The folder in which applications have their settings. */
function appFolder(place: HostPlace): string {
  const home = homeFolder(place);
  switch (place.platform) {
    case "win32":
      return place.env["APPDATA"] || join(home, "AppData", "Roaming");
    case "darwin":
      return join(home, "Library", "Application Support");
    default:
      return place.env["XDG_CONFIG_HOME"] || join(home, ".config");
  }
}
