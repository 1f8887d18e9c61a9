import { existsSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@toolweave/core";
import type { Command } from "commander";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { describeAdded, describeUntrusted, withSourceOptions } from "./add.ts";
import type { AddedSource, AddSourceOptions } from "./add-source.ts";
import type { ConfigFile } from "./config-file.ts";
import type { SourceKind } from "./new-source.ts";

/** The options of `toolweave init`. */
interface InitOptions extends Omit<AddSourceOptions, "name" | "kind"> {
  readonly openapi?: string;
  readonly mcp?: string;
  readonly tools?: boolean;
}

const initExamples = `
Examples:
  $ toolweave init                                  # asks where your tools come from
  $ toolweave init --openapi https://api.example.com/openapi.json --auth 'bearer:$SHOP_TOKEN'
  $ toolweave init --mcp @modelcontextprotocol/server-memory
  $ toolweave init --tools                          # your own functions: writes tools.ts
  $ toolweave init --yes                            # an empty configuration

No file is replaced. With --tools, a package.json with "type": "module" is written too, unless there
is one here or above. The new toolweave.json is trusted, since you write it. Then
\`toolweave inspect\` lists the tools, \`toolweave add\` adds sources, and \`toolweave install\` gives
the tools to Claude, Cursor, VS Code and other hosts.
`;

/** Registers `toolweave init`. */
export function addInit(program: Command, { io, output, end }: CommandContext): void {
  const command = program
    .command("init")
    .summary("write a toolweave.json")
    .description(
      "Asks where your tools come from, and writes a toolweave.json that works into this folder. Without a terminal, options name the sources.",
    )
    .option("--openapi <url|file>", "an OpenAPI document")
    .option("--mcp <command|url|package>", "an MCP server")
    .option("--tools", "your own functions: a tools.ts with one tool as an example");
  withSourceOptions(command)
    .option("--yes", "do not ask anything")
    .option("--json", 'print {"config", "files": [...], "sources": [{"block", "name", "tools"}]}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      initExamples + exitCodesHelp({ 4: "the source could not be loaded; nothing was written" }),
    )
    .action(async (options: InitOptions) => {
      end(await init(options, io, output));
    });
}

/** `toolweave init`: writes a configuration with the first sources. */
async function init(options: InitOptions, io: CliIo, output: Output): Promise<number> {
  const { mayAsk } = await import("./prompts.ts");
  const { readConfigFile, writeConfigFile } = await import("./config-file.ts");
  const config = await readConfigFile(configFile, io);
  if (config.text !== undefined) {
    throw new UsageError(`${config.path} exists: \`toolweave add\` adds a source to it.`);
  }
  const { openapi, mcp, tools = false } = options;
  const isExplicit = openapi !== undefined || mcp !== undefined || tools;
  const isAsked = !isExplicit && mayAsk(io, options);
  if (!isExplicit && !isAsked && options.yes !== true) {
    throw new UsageError(
      "Nothing was written: name a source with --openapi, --mcp or --tools, write an empty file with --yes, or run the command in a terminal.",
    );
  }
  const draft = new ConfigDraft(config, options, io, output);
  if (openapi !== undefined && !(await draft.add(openapi, "openapi"))) return exitCode.sourceFailed;
  if (mcp !== undefined && !(await draft.add(mcp, "mcp"))) return exitCode.sourceFailed;
  if (tools) await draft.addTools();
  if (isAsked) {
    await askForSources(draft, io, output);
    if (draft.added.length === 0) {
      output.printMessage(
        "toolweave: Nothing was written. `toolweave init --yes` writes an empty configuration.",
      );
      return draft.hasFailed ? exitCode.sourceFailed : exitCode.completed;
    }
  }
  const files = draft.hasTools ? await writeTools(dirname(config.path)) : [];
  await writeConfigFile(config, draft.text, io);
  await report(
    { path: config.path, files, added: draft.added, hasTools: draft.hasTools },
    options,
    output,
  );
  return exitCode.completed;
}

/** The text of the new configuration. */
class ConfigDraft {
  readonly added: AddedSource[] = [];
  text: string;
  hasTools = false;
  /** A source could not be loaded. */
  hasFailed = false;
  readonly #config: ConfigFile;
  readonly #options: InitOptions;
  readonly #io: CliIo;
  readonly #output: Output;

  constructor(config: ConfigFile, options: InitOptions, io: CliIo, output: Output) {
    this.#config = config;
    this.#options = options;
    this.#io = io;
    this.#output = output;
    this.text = `${JSON.stringify({ $schema: schemaPlace(dirname(config.path)) }, null, 2)}\n`;
  }

  /** Adds a source, after it was loaded once; false: it could not be loaded. */
  async add(written: string, kind: SourceKind): Promise<boolean> {
    const { addSource } = await import("./add-source.ts");
    const one = await addSource(
      [written],
      { ...this.#config, value: JSON.parse(this.text) as JsonObject, text: this.text },
      { ...this.#options, kind },
      this.#io,
      this.#output,
    );
    if (one === undefined) {
      this.hasFailed = true;
      return false;
    }
    this.text = one.text;
    this.added.push(one);
    return true;
  }

  /** Adds the module with the user's own tools. */
  async addTools(): Promise<void> {
    if (this.hasTools) return;
    const { withSource } = await import("./config-file.ts");
    const source = { block: "tools", name: "", value: "./tools.ts" } as const;
    this.text = withSource(this.text, source);
    this.added.push({ source, check: undefined, text: this.text });
    this.hasTools = true;
  }
}

const kindQuestion = `Where do tools come from?
  1  an API with an OpenAPI document (URL or file)
  2  an MCP server (URL, command, or package of npm)
  3  your own functions (writes tools.ts with an example)
`;

/** Asks for sources until the user wants no more of them. */
async function askForSources(draft: ConfigDraft, io: CliIo, output: Output): Promise<void> {
  const { ask } = await import("./prompts.ts");
  const { describeError } = await import("../../render/describe-error.ts");
  io.stderr.write(kindQuestion);
  for (;;) {
    const isFirst = draft.added.length === 0;
    const choice = await ask(
      isFirst ? "1, 2 or 3 (Enter: none): " : "One more: 1, 2 or 3 (Enter: done): ",
      io,
    );
    if (choice === "") return;
    if (choice === "3") await draft.addTools();
    else if (choice === "1" || choice === "2") {
      const kind = choice === "1" ? "openapi" : "mcp";
      const place = await ask(choice === "1" ? "URL or file: " : "URL, command or package: ", io);
      try {
        if (place !== "") await draft.add(place, kind);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        output.printMessage(describeError(error, false));
      }
    }
  }
}

/** The JSON Schema of the file, for editors: the installed one, otherwise the published one. */
function schemaPlace(folder: string): string {
  const installed = "./node_modules/@toolweave/config/src/toolweave.schema.json";
  return existsSync(join(folder, installed))
    ? installed
    : "https://unpkg.com/@toolweave/config/src/toolweave.schema.json";
}

const exampleTools = `import { defineTool } from "@toolweave/core";

/** A model reads the description and the schema, and calls the function with matching arguments. */
export default [
  defineTool({
    name: "add_numbers",
    description: "Adds two numbers.",
    input: {
      type: "object",
      properties: {
        a: { type: "number", description: "The first number." },
        b: { type: "number", description: "The second number." },
      },
      required: ["a", "b"],
    },
    annotations: { readOnlyHint: true },
    execute: ({ a, b }) => a + b,
  }),
];
`;

/**
 * Writes the example, and the manifest without which Node.js does not know that it is an ES module, unless they are there
 * already. Returns the written files.
 */
async function writeTools(folder: string): Promise<readonly string[]> {
  const { writeTextFile } = await import("../shared/write-file.ts");
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeTextFile(join(folder, name), text);
    written.push(join(folder, name));
  };
  if (!existsSync(join(folder, "tools.ts"))) await write("tools.ts", exampleTools);
  if (!isInPackage(folder)) {
    await write("package.json", `${JSON.stringify({ private: true, type: "module" }, null, 2)}\n`);
  }
  return written;
}

/** True if the folder or one above it has a package.json. */
function isInPackage(folder: string): boolean {
  if (existsSync(join(folder, "package.json"))) return true;
  return dirname(folder) !== folder && isInPackage(dirname(folder));
}

/** Where the files are, and what was added to them. */
interface Report {
  readonly path: string;
  readonly files: readonly string[];
  readonly added: readonly AddedSource[];
  readonly hasTools: boolean;
}

async function report(
  { path, files, added, hasTools }: Report,
  { json = false }: InitOptions,
  output: Output,
): Promise<void> {
  const { safeJson, safeLine } = await import("../../render/text.ts");
  if (json) {
    const sources = added.map(({ source: { block, name }, check }) => ({
      block,
      name,
      tools: check?.tools ?? [],
    }));
    const result = { config: path, files: [...files, path], sources };
    await output.write(`${safeJson(JSON.stringify(result))}\n`);
    return;
  }
  for (const { source, check } of added) {
    await output.write(`${describeAdded(source, check)}\n`);
    const hint = describeUntrusted(check, path);
    if (hint !== undefined) output.printMessage(`toolweave: ${safeLine(hint)}`);
  }
  for (const file of [...files, path]) await output.write(`Written: ${safeLine(file)}\n`);
  if (hasTools && !hasCore(dirname(path))) {
    await output.write("Before the first use: npm install @toolweave/core\n");
  }
  await output.write(
    added.length === 0
      ? "Next: `toolweave add <url|command|package>`.\n"
      : "Next: `toolweave inspect` lists the tools, `toolweave install <host>` gives them to a host.\n",
  );
}

function hasCore(folder: string): boolean {
  try {
    // As an import resolves it, without NODE_PATH.
    return (
      findPackageJSON("@toolweave/core", pathToFileURL(join(folder, "tools.ts"))) !== undefined
    );
  } catch {
    return false;
  }
}
