import { Option, type Command } from "commander";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { collect } from "../shared/options.ts";
import type { AddSourceOptions } from "./add-source.ts";
import type { SourceCheck } from "./check-source.ts";
import type { NewSource } from "./new-source.ts";

/** The options of `toolweave add`. */
interface AddOptions extends AddSourceOptions {
  readonly config?: string;
}

const addExamples = `
Examples:
  $ toolweave add https://api.example.com/openapi.json --auth 'bearer:$SHOP_TOKEN'
  $ toolweave add openapi.yaml --name shop
  $ toolweave add @modelcontextprotocol/server-memory        # a package of npm
  $ toolweave add -- uvx mcp-server-git --repository .
  $ toolweave add 'npx -y some-mcp-server' --env GITHUB_TOKEN
  $ toolweave add https://mcp.example.com/mcp --kind mcp

The file gets names of environment variables, never secrets. The source is loaded once to check it:
a program or package is started for that. Comments and formatting of the file remain. If you trust
the file already, you need not trust it again.
`;

/** Registers `toolweave add`. */
export function addAdd(program: Command, { io, output, end }: CommandContext): void {
  withSourceOptions(program.command("add"))
    .summary("add a source to the configuration")
    .description(
      "Adds an OpenAPI document, an MCP server or a module with tools to the toolweave.json of this folder, and loads it once to check it.",
    )
    .argument("<source...>", "a URL, a file, a command, or a package of npm with its arguments")
    .option("--config <file>", "the configuration to change (default: the toolweave.json here)")
    .option("--name <name>", "the name of the source (default: made from the source)")
    .addOption(new Option("--kind <kind>", "what answers at the URL").choices(["openapi", "mcp"]))
    .option("--yes", "do not ask anything")
    .option("--json", 'print {"config", "block", "name", "tools": [...], "checked", "trusted"}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      addExamples + exitCodesHelp({ 4: "the source could not be loaded; nothing was written" }),
    )
    .action(async (words: readonly string[], options: AddOptions) => {
      end(await add(words, options, io, output));
    });
}

/** Adds the options for the credentials and the check of a new source. */
export function withSourceOptions(command: Command): Command {
  return command
    .option(
      "--auth <credentials>",
      "bearer:$NAME, basic:$USER:$PASSWORD or apiKey:$NAME, in single quotes; may be repeated",
      collect,
    )
    .option(
      "--env <name>",
      "pass this environment variable to the program; may be repeated",
      collect,
    )
    .option("--base-url <url>", "the URL of the API, instead of the one in the document")
    .option(
      "--header <name: value>",
      "a header of every request; a secret as 'Name: $NAME', in single quotes; may be repeated",
      collect,
    )
    .option(
      "--allow-origin <origin>",
      "allow requests of a document to this origin although it is private; may be repeated",
      collect,
    )
    .option("--no-check", "do not load the source");
}

/** `toolweave add`: adds a source to a configuration, after it was loaded once. */
async function add(
  words: readonly string[],
  options: AddOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { readConfigFile, writeConfigFile } = await import("./config-file.ts");
  const { addSource } = await import("./add-source.ts");
  const { safeJson, safeLine } = await import("../../render/text.ts");
  const config = await readConfigFile(options.config ?? configFile, io);
  const added = await addSource(
    words,
    { ...config, text: config.text ?? "{}\n" },
    options,
    io,
    output,
  );
  if (added === undefined) return exitCode.sourceFailed;
  const { source, check, text } = added;
  await writeConfigFile(config, text, io);
  const { path, isTrusted } = config;
  if (options.json === true) {
    const { block, name } = source;
    const tools = check?.tools ?? [];
    const result = {
      config: path,
      block,
      name,
      tools,
      checked: check !== undefined,
      trusted: isTrusted,
    };
    await output.write(`${safeJson(JSON.stringify(result))}\n`);
  } else {
    await output.write(`${describeAdded(source, check)} Written to ${safeLine(path)}.\n`);
    const hint = describeUntrusted(check, path);
    if (hint !== undefined) output.printMessage(`toolweave: ${safeLine(hint)}`);
  }
  if (!isTrusted && options.config === undefined) {
    output.printMessage(
      "toolweave: The file is not trusted: it was here, or was changed, before. Run `toolweave trust` to read what it does.",
    );
  }
  return exitCode.completed;
}

/** Describes an added source to a person. */
export function describeAdded({ name, value }: NewSource, check: SourceCheck | undefined): string {
  const subject = name === "" ? String(value) : name;
  if (check === undefined) return `Added ${subject}.`;
  if (check.needsLogin)
    return `Added ${subject}, which requires a sign-in: run \`toolweave login ${subject}\`.`;
  return `Added ${subject} with ${check.tools.length === 1 ? "1 tool" : `${check.tools.length} tools`}.`;
}

/** Describes why the tools of a new MCP server ask before they run; undefined: none would run without. */
export function describeUntrusted(
  check: SourceCheck | undefined,
  path: string,
): string | undefined {
  if (check === undefined || check.untrusted === 0) return undefined;
  const { source, tools, untrusted } = check;
  const count = tools.length;
  const which = untrusted === 1 ? "its read-only tool" : `its ${untrusted} read-only tools`;
  return `${count} of ${count} tools ask before they run, since its hints are not trusted; to let ${which} run, set mcp.${source.name}.trustAnnotations to true in ${path}.`;
}
