import { constants, copyFileSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@toolweave/core";
import { Argument, type Command } from "commander";
import { configFile } from "../../input/tool-options.ts";
import { UsageError, exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CliIo } from "../../process/cli-io.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { withConfig } from "../shared/options.ts";
import type { HostConfig } from "./host-config.ts";
import { hostNames, userFile, type HostFile, type HostName } from "./host-files.ts";

/** The options of `toolweave install`. */
interface InstallOptions {
  readonly config?: string;
  readonly name: string;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const installExamples = `
Examples:
  $ toolweave install cursor                        # the toolweave.json of this folder
  $ toolweave install claude-desktop --config ~/shop/toolweave.json
  $ toolweave install codex --dry-run               # displays the change only
  $ toolweave install vscode --name shop --yes
  $ toolweave install cursor --remove

The host starts \`npx -y toolweave serve --config …\` from then on, and asks it for tools. The file of
the host applies to all projects of this user. It keeps its comments and formatting; a copy of it is
made first, and its secrets are not displayed. Restart the host, or reload its servers.
`;

/** Registers `toolweave install`. */
export function addInstall(program: Command, { io, output, end }: CommandContext): void {
  withConfig(program.command("install"))
    .summary("give the tools to Claude, Cursor, VS Code and other hosts")
    .description(
      "Adds toolweave serve to the configuration of an MCP host. Displays the change, asks, makes a copy of the file, and writes it.",
    )
    .addArgument(new Argument("<host>", "the host").choices(hostNames))
    .option("--name <name>", "the name of the server in the host", "toolweave")
    .option("--remove", "remove the server from the host")
    .option("--dry-run", "display the change, and write nothing")
    .option("--yes", "do not ask")
    .option("--json", 'print {"host", "file", "change", "backup"}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      installExamples +
        exitCodesHelp({
          3: "the change was not agreed to, or the configuration in this folder is not trusted",
        }),
    )
    .action(async (host: HostName, options: InstallOptions) => {
      end(await install(host, options, io, output));
    });
}

/** `toolweave install`: makes a host start `toolweave serve`, or removes that. */
async function install(
  host: HostName,
  options: InstallOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const [{ readHostConfig, withServer }, { lineDiff }, { safeJson, safeLine, safeText }] =
    await Promise.all([
      import("./host-config.ts"),
      import("./line-diff.ts"),
      import("../../render/text.ts"),
    ]);
  const { name, remove = false, dryRun = false, json = false } = options;
  const place = { env: io.env, platform: process.platform, folder: process.cwd() };
  const file = resolveLink(userFile(host, place));
  const config = remove ? undefined : await servedConfig(options, io);
  const server = config === undefined ? undefined : serverEntry(file, config);
  const before = readHostConfig(file);
  const [title, path] = [file.title, safeLine(file.path)];
  const finish = async (change: string, text: string, backup?: string): Promise<number> => {
    const result = { host, file: file.path, change, ...(backup === undefined ? {} : { backup }) };
    await output.write(json ? `${safeJson(JSON.stringify(result))}\n` : `${text}\n`);
    return exitCode.completed;
  };
  const notes = config === undefined ? [] : await installNotes(config, before, title);
  if (!json) for (const note of notes) output.printMessage(`toolweave: ${safeLine(note)}`);
  if (isDeepStrictEqual(before.servers[name], server)) {
    return remove
      ? finish("none", `${title} has no server ${safeLine(name)} in ${path}.`)
      : finish("none", `${title} starts it already: ${path}.`);
  }
  const text = withServer(before, name, server);
  const diff = `${path}\n${safeText(lineDiff(before.text ?? "", text, secretsIn(before)))}`;
  const change = remove ? "removed" : before.servers[name] === undefined ? "added" : "replaced";
  if (dryRun) return finish(change, diff);
  if (!json) output.printMessage(diff);
  const { confirm } = await import("../setup/prompts.ts");
  if (!(await confirm("Write this change?", io, options))) {
    output.printMessage("toolweave: Nothing was changed.");
    return exitCode.refused;
  }
  const backup = await writeHostFile(before, text);
  const done = remove
    ? `Removed from ${title}.`
    : `${title} starts toolweave from now on: restart it.`;
  const copy = backup === undefined ? "" : ` The file before: ${safeLine(backup)}`;
  return finish(change, `${done}${copy}`, backup);
}

/** The absolute path of the configuration that the host serves. Installing it runs it: it has to be trusted. */
async function servedConfig({ config, json = false }: InstallOptions, io: CliIo): Promise<string> {
  const path = resolve(config ?? configFile);
  if (!existsSync(path)) {
    throw new UsageError(
      config === undefined
        ? "There is no toolweave.json in this folder: `toolweave init` writes one, --config names another."
        : `There is no file ${JSON.stringify(config)}.`,
    );
  }
  const { assertTrusted } = await import("../../sources/config-trust.ts");
  if (config === undefined) await assertTrusted(path, { json }, io);
  return path;
}

/** The variables that the host must have, and servers that it still starts itself. */
async function installNotes(
  config: string,
  { servers }: HostConfig,
  title: string,
): Promise<readonly string[]> {
  const { describeConfigFile } = await import("../../sources/config-trust.ts");
  const { parts } = await describeConfigFile(config);
  const listNames = (...kinds: readonly string[]): readonly string[] => [
    ...new Set(parts.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)),
  ];
  const variables = listNames("variable");
  const twice = listNames("program", "url").filter((name) => Object.hasOwn(servers, name));
  return [
    ...(variables.length === 0
      ? []
      : [
          `${title} must have ${variables.join(", ")} in its environment: start it from a shell that has ${variables.length === 1 ? "it" : "them"}.`,
        ]),
    ...twice.map(
      (name) => `${name} is still configured in ${title} itself, where no policy applies.`,
    ),
  ];
}

/** The server as the host writes it. */
function serverEntry({ host }: HostFile, config: string): JsonObject {
  const words = ["npx", "-y", "toolweave", "serve", "--config", config];
  // npx is a batch file on Windows, which programs cannot start by themselves.
  const [command = "", ...args] = process.platform === "win32" ? ["cmd", "/c", ...words] : words;
  const isTyped = host === "vscode" || host === "claude-code";
  return { ...(isTyped ? { type: "stdio" } : {}), command, args };
}

/** The file that a link leads to: settings are often links into a folder under version control. */
function resolveLink(file: HostFile): HostFile {
  return existsSync(file.path) ? { ...file, path: realpathSync(file.path) } : file;
}

/** Values in the file that must not be displayed: a line of it may hold several servers. */
function secretsIn({ servers }: HostConfig): readonly string[] {
  const texts = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(texts)
        : [];
  return Object.values(servers)
    .flatMap(({ env, headers, http_headers: httpHeaders }) => texts([env, headers, httpHeaders]))
    .filter((text) => text.length > 3)
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
}

/** Writes the file of a host. Returns the path of the copy of the file before; undefined: there was none. */
async function writeHostFile(
  { file, text: before }: HostConfig,
  text: string,
): Promise<string | undefined> {
  const { writeError, writeTextFile } = await import("../shared/write-file.ts");
  const { path } = file;
  try {
    if (before === undefined) {
      mkdirSync(dirname(path), { recursive: true });
      await writeTextFile(path, text, 0o600);
      return undefined;
    }
    const backup = backupPath(path);
    copyFileSync(path, backup, constants.COPYFILE_EXCL);
    await writeTextFile(path, text);
    return backup;
  } catch (error) {
    throw error instanceof UsageError ? error : writeError(path, error);
  }
}

/** `mcp.json.2026-03-01-120000.bak`, which does not exist yet. */
function backupPath(path: string): string {
  const date = new Date().toISOString().replace("T", "-").replaceAll(":", "").slice(0, 17);
  for (let number = 1; ; number++) {
    const backup = `${path}.${date}${number === 1 ? "" : `-${number}`}.bak`;
    if (!existsSync(backup)) return backup;
  }
}
