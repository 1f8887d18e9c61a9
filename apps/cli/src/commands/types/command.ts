import { dirname, join, resolve } from "node:path";
import type { ToolRegistry } from "@toolweave/core";
import type { Command } from "commander";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { withToolOptions } from "../shared/options.ts";
import type { Declaration, DeclaredTool } from "./declaration.ts";

/** The options of `toolweave types`. */
interface TypesOptions extends ToolOptions {
  readonly output?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const typesExamples = `
Examples:
  $ toolweave types                                 # writes toolweave.d.ts
  $ toolweave types --config toolweave.json --output src/tools.d.ts
  $ toolweave types --openapi openapi.yaml --output -
  $ toolweave types --check                         # in CI: exits with 1 if the file is out of date

With the file in your project, TypeScript knows the arguments and results of every tool:

  const pet = await executor.call("get_pet", { id: 7 });
`;

/** Registers `toolweave types`. */
export function addTypes(program: Command, { io, output, end }: CommandContext): void {
  withToolOptions(program.command("types"))
    .summary("write the TypeScript types of the tools")
    .description(
      "Writes a .d.ts with the arguments and results of every tool of the configuration, for executor.call of @toolweave/core.",
    )
    .option("--output <file>", "the file; - prints it (default: toolweave.d.ts)")
    .option("--check", "write nothing; exit with 1 if the file is out of date")
    .option("--json", 'print {"file", "tools", "untyped": [...], "changed"}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      typesExamples +
        exitCodesHelp({
          1: "--check: the file is out of date",
          3: "the configuration in this folder is not trusted",
          4: "a source could not be loaded",
        }),
    )
    .action(async (options: TypesOptions) => {
      end(await types(options, io, output));
    });
}

/** `toolweave types`: declares the types of all tools in a file, or compares them with it. */
async function types(options: TypesOptions, io: CliIo, output: Output): Promise<number> {
  const { check = false, json = false, verbose = false } = options;
  const isPrinted = options.output === "-";
  if (isPrinted && (check || json)) {
    throw new UsageError("--output - prints the types: it excludes --check and --json.");
  }
  const [
    { planSources },
    { describeError },
    { formatCount, safeJson, safeLine },
    { readTextFile },
  ] = await Promise.all([
    import("../../sources/load-sources.ts"),
    import("../../render/describe-error.ts"),
    import("../../render/text.ts"),
    import("../shared/json-file.ts"),
  ]);
  const plan = await planSources(options, io, output);
  const folder = plan.config === undefined ? "" : dirname(plan.config);
  const file = resolve(options.output ?? join(folder, "toolweave.d.ts"));
  const loaded = await plan.load();
  const { registry, failures } = loaded;
  let declared: Declaration;
  let amount: number;
  try {
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    // A file without the tools of one source would make code wrong that is right.
    if (failures.length > 0) return exitCode.sourceFailed;
    await loaded.removeBrokenTools();
    const tools = await toDeclared(registry);
    amount = tools.length;
    const { declareTools } = await import("./declaration.ts");
    declared = declareTools(tools, await regenerateCommand(options));
  } finally {
    await registry.close();
  }
  const { text, untyped } = declared;
  for (const name of untyped) {
    output.printMessage(
      `toolweave: a reference in a schema of ${safeLine(name)} leads to nothing: its type is unknown.`,
    );
  }
  if (isPrinted) {
    await output.write(text);
    return exitCode.completed;
  }
  const before = readTextFile(file)?.replaceAll("\r\n", "\n");
  const changed = before !== text;
  if (!check && changed) {
    const { writeTextFile } = await import("../shared/write-file.ts");
    await writeTextFile(file, text, 0o644);
  }
  if (json) {
    await output.write(`${safeJson(JSON.stringify({ file, tools: amount, untyped, changed }))}\n`);
  } else if (!check) {
    await output.write(`${formatCount(amount, "tool")} declared in ${safeLine(file)}\n`);
  } else if (!changed) await output.write(`${safeLine(file)} is up to date.\n`);
  if (!check || !changed) return exitCode.completed;
  output.printMessage(
    `toolweave: ${safeLine(file)} is ${before === undefined ? "missing" : "out of date"}. Run \`toolweave types\` with the same options, and commit the file.`,
  );
  return exitCode.changed;
}

async function toDeclared(registry: ToolRegistry): Promise<DeclaredTool[]> {
  const { argumentsSchemaOf } = await import("@toolweave/core/adapter");
  return [...registry.toolset().entries()].map(({ tool, source }) => {
    const { name, description, outputSchema } = tool.spec;
    return { name, source, description, input: argumentsSchemaOf(tool), output: outputSchema };
  });
}

/** The command for the header. Options that may hold a secret are left out. */
async function regenerateCommand({ config, openapi, mcp, output }: TypesOptions): Promise<string> {
  const { safeLine, shellLine } = await import("../../render/text.ts");
  const words = [
    ...(config === undefined ? [] : ["--config", config]),
    ...(output === undefined || output === "-" ? [] : ["--output", output]),
  ];
  const others = (openapi ?? []).length + (mcp ?? []).length > 0 ? " …" : "";
  return safeLine(`${shellLine(["toolweave", "types", ...words])}${others}`);
}
