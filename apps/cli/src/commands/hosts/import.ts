import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@toolweave/core";
import { Option, type Command } from "commander";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { hostFiles, hostNames, type HostFile, type HostName } from "./host-files.ts";

/** The options of `toolweave import`. */
interface ImportOptions {
  readonly from?: HostName;
  readonly config?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const importExamples = `
Examples:
  $ toolweave import                                # every host that is found
  $ toolweave import --from cursor
  $ toolweave import --from claude-desktop --yes
  $ toolweave import --json                         # what would be added; writes with --yes only

Reads the files of the user and of this folder: Claude Desktop, Claude Code, Cursor, VS Code, Codex,
Windsurf. They are not changed. Secrets are not copied and not displayed: the toolweave.json gets
names of environment variables, which you set. Servers with a secret in their arguments are omitted.
`;

/** Registers `toolweave import`. */
export function addImport(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("import")
    .summary("take over the MCP servers of other hosts")
    .description(
      "Finds the MCP servers of Claude, Cursor, VS Code, Codex and Windsurf, displays them, and adds them to the toolweave.json of this folder.",
    )
    .addOption(new Option("--from <host>", "only this host").choices(hostNames))
    .option("--config <file>", "the configuration to change (default: the toolweave.json here)")
    .option("--yes", "do not ask")
    .option(
      "--json",
      'print {"config", "written", "added": [...], "unchanged": [...], "skipped": [...], "variables": [...]}',
    )
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", importExamples + exitCodesHelp({ 3: "the change was not agreed to" }))
    .action(async (options: ImportOptions) => {
      end(await importServers(options, io, output));
    });
}

/** A server that was found, and what becomes of it. */
interface FoundServer {
  readonly file: HostFile;
  /** Its name in the host. */
  readonly name: string;
  readonly result:
    | {
        readonly kind: "added";
        /** Its name in the configuration. */
        readonly as: string;
        readonly server: JsonObject;
        readonly variables: readonly string[];
      }
    | { readonly kind: "unchanged" }
    | { readonly kind: "skipped"; readonly reason: string };
}

/** `toolweave import`: adds the servers of other hosts to the configuration. */
async function importServers(options: ImportOptions, io: CliIo, output: Output): Promise<number> {
  const [
    { readConfigFile, sourceNames, writeConfigFile },
    { withJsonValue },
    { safeJson, safeLine },
  ] = await Promise.all([
    import("../setup/config-file.ts"),
    import("../shared/json-file.ts"),
    import("../../render/text.ts"),
  ]);
  const config = await readConfigFile(options.config ?? configFile, io);
  const { found, errors } = await findServers(
    options.from,
    config.value,
    sourceNames(config.value),
    io,
  );
  for (const error of errors) output.printMessage(`toolweave: ${error.message}`);
  const added = found.flatMap(({ file, name, result }) =>
    result.kind === "added" ? [{ host: file.host, name, ...result }] : [],
  );
  const variables = [...new Set(added.flatMap((one) => one.variables))].sort();
  const isWritten = added.length > 0 && (await isAgreed(found, added.length, options, io, output));
  if (isWritten) {
    const block = config.value["servers"] === undefined ? "mcpServers" : "servers";
    const text = added.reduce(
      (text, { as, server }) => withJsonValue(text, [block, as], server),
      config.text ?? "{}\n",
    );
    await writeConfigFile(config, text, io);
  }
  const path = safeLine(config.path);
  if (options.json === true) {
    const result = {
      config: config.path,
      written: isWritten,
      added: added.map(({ host, name, as, variables }) => ({ host, name, as, variables })),
      unchanged: found.flatMap(({ file: { host }, name, result }) =>
        result.kind === "unchanged" ? [{ host, name }] : [],
      ),
      skipped: found.flatMap(({ file: { host }, name, result }) =>
        result.kind === "skipped" ? [{ host, name, reason: result.reason }] : [],
      ),
      variables,
    };
    await output.write(`${safeJson(JSON.stringify(result))}\n`);
    return exitCode.completed;
  }
  if (added.length === 0) {
    await output.write(`Nothing to add to ${path}.\n`);
    return exitCode.completed;
  }
  if (!isWritten) return exitCode.refused;
  await output.write(
    `${added.length === 1 ? "1 server" : `${added.length} servers`} added to ${path}.\n`,
  );
  if (variables.length > 0) {
    await output.write(
      `Set these environment variables, with the values that the hosts have: ${variables.join(", ")}\n`,
    );
  }
  return exitCode.completed;
}

/** Displays what was found, and asks. With `--json`, only `--yes` agrees. */
async function isAgreed(
  found: readonly FoundServer[],
  amount: number,
  options: ImportOptions,
  io: CliIo,
  output: Output,
): Promise<boolean> {
  if (options.json === true) return options.yes === true;
  for (const line of await describe(found)) output.printMessage(line);
  const { confirm } = await import("../setup/prompts.ts");
  const servers = amount === 1 ? "this server" : `these ${amount} servers`;
  return confirm(`Add ${servers}?`, io, options);
}

/** The servers of all hosts, each converted. A file that cannot be read does not hide the others. */
async function findServers(
  from: HostName | undefined,
  config: JsonObject,
  taken: ReadonlySet<string>,
  io: CliIo,
): Promise<{ readonly found: readonly FoundServer[]; readonly errors: readonly Error[] }> {
  const { readHostConfig } = await import("./host-config.ts");
  const { SecretVariables, importServer } = await import("./imported-server.ts");
  const place = { env: io.env, platform: process.platform, folder: process.cwd() };
  const files = (from === undefined ? hostNames : [from]).flatMap((host) => hostFiles(host, place));
  const existing = {
    ...(config["mcpServers"] as JsonObject),
    ...(config["servers"] as JsonObject),
  };
  const known = new Map<string, JsonObject>(Object.entries(existing) as [string, JsonObject][]);
  const names = new Set(taken);
  const secrets = new SecretVariables();
  const found: FoundServer[] = [];
  const errors: Error[] = [];
  for (const file of files) {
    let servers: Readonly<Record<string, JsonObject>>;
    try {
      ({ servers } = readHostConfig(file));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      if (from !== undefined) throw error;
      errors.push(error);
      continue;
    }
    for (const [name, written] of Object.entries(servers)) {
      const imported = importServer(file, name, written, secrets);
      if ("skipped" in imported) {
        found.push({ file, name, result: { kind: "skipped", reason: imported.skipped } });
        continue;
      }
      const { server, variables } = imported;
      if ([...known.values()].some((other) => isDeepStrictEqual(other, server))) {
        found.push({ file, name, result: { kind: "unchanged" } });
        continue;
      }
      const as = freeName(name, file.host, names);
      names.add(as);
      known.set(as, server);
      found.push({ file, name, result: { kind: "added", as, server, variables } });
    }
  }
  return { found, errors };
}

function freeName(name: string, host: HostName, taken: ReadonlySet<string>): string {
  const candidates = [name, `${name}-${host}`];
  for (let number = 2; ; number++) {
    const free = candidates.find((each) => !taken.has(each));
    if (free !== undefined) return free;
    candidates.push(`${name}-${number}`);
  }
}

/** The servers by file, one a line, without secrets. */
async function describe(found: readonly FoundServer[]): Promise<readonly string[]> {
  const { safeLine, shellLine } = await import("../../render/text.ts");
  return [...new Set(found.map(({ file }) => file))].flatMap((file) => [
    `${file.title} (${safeLine(file.path)}):`,
    ...found
      .filter((one) => one.file === file)
      .map(({ name, result }) => {
        const label = safeLine(name);
        if (result.kind === "unchanged") return `  = ${label}: already there`;
        if (result.kind === "skipped") return `  - ${label}: omitted: ${result.reason}`;
        const { as, server, variables } = result;
        const {
          url,
          command,
          args = [],
        } = server as {
          readonly url?: string;
          readonly command?: string;
          readonly args?: readonly string[];
        };
        const place = url ?? shellLine([command ?? "", ...args]);
        const renamed = as === name ? "" : ` (as ${safeLine(as)})`;
        const needs = variables.length === 0 ? "" : `; needs ${variables.join(", ")}`;
        return `  + ${label}${renamed}: ${safeLine(place)}${needs}`;
      }),
  ]);
}
