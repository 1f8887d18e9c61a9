import type { PolicyEffect } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import type { Command } from "commander";
import type { ToolOptions } from "../input/tool-options.ts";
import type { CliIo } from "../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../process/exit-code.ts";
import type { CommandContext, Output } from "../process/output.ts";
import {
  noPagerHelp,
  parseResultLimit,
  sourceHelp,
  withPolicy,
  withToolOptions,
} from "./shared/options.ts";

/** The options of `toolweave search`. */
interface SearchOptions extends ToolOptions {
  readonly limit: number;
  readonly pager?: boolean;
  readonly policy?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const searchExamples = `
Examples:
  $ toolweave search stripe.json cancel an invoice
  $ toolweave search github.json 'rotate the ssh keys' --limit 3
  $ toolweave search stripe.json refund --json | jq -r '.tools[].name'
`;

/** Registers `toolweave search`. */
export function addSearch(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(program.command("search")))
    .summary("search for tools by keywords")
    .description(
      "Lists the tools that match some words, best match first, with their name, method and path, effect and summary. Searches names, titles, descriptions, parameters and origins.",
    )
    .usage("[options] [source...] <words...>")
    .argument("<words...>", `what the tool should do; before that, ${sourceHelp}`)
    .option("--limit <n>", "the maximum number of results: 1 to 100", parseResultLimit, 10)
    .option(
      "--json",
      'print {"tools": [...], "problems": [...], "decisions": {...}, "warnings": [...]}',
    )
    .option("--no-pager", noPagerHelp)
    .addHelpText(
      "after",
      searchExamples +
        exitCodesHelp({
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded; the tools of the others are listed",
        }),
    )
    .action(async (all: readonly string[], options: SearchOptions) => {
      const { splitSources } = await import("../input/source-words.ts");
      const { sources, rest } = splitSources(all);
      if (rest.length === 0) {
        throw new UsageError(
          `The words to search for are missing: write them after the source, as in \`toolweave search ${sources[0] ?? "openapi.yaml"} 'cancel an invoice'\`.`,
        );
      }
      end(await search(rest, { ...options, sources }, io, output));
    });
}

/** `toolweave search`: lists the tools that are about some words, the best first. */
async function search(
  words: readonly string[],
  options: SearchOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { limit, json, verbose = false, pager = true } = options;
  const { planSources } = await import("../sources/load-sources.ts");
  const plan = await planSources(options, io, output);
  const { createExecutor } = await import("./shared/executor.ts");
  const { describeError } = await import("../render/describe-error.ts");
  const { formatCount } = await import("../render/text.ts");
  const { renderTools, writeToolsJson } = await import("../render/tool-list.ts");
  const [{ ToolIndex }, loaded] = await Promise.all([
    import("@toolweave/core/search"),
    plan.load(),
  ]);
  const { registry, failures, sources, policy } = loaded;
  try {
    await loaded.removeBrokenTools();
    const tools = registry.toolset();
    const index = new ToolIndex();
    index.update(tools);
    const entries = index
      .search(words.join(" "), limit)
      .map(({ name }) => tools.entry(name) as RegisteredTool);
    const executor = createExecutor({ registry, policy });
    const decisions = new Map<string, PolicyEffect>();
    for (const { tool } of entries) {
      const { name } = tool.spec;
      decisions.set(name, (await executor.explain({ name })).effect);
    }
    if (json === true) {
      await writeToolsJson(
        entries,
        { problems: registry.problems, decisions, warnings: [] },
        output,
      );
    } else if (failures.length < sources.length || sources.length === 0) {
      const { writeList } = await import("../render/pager.ts");
      const found = entries.length === 0 ? "None" : String(entries.length);
      const lines = [
        ...renderTools(entries, decisions, output),
        ...(entries.length === 0 ? [] : [""]),
        `${found} of ${formatCount(tools.size, "tool")}`,
        ...(entries.length === 0
          ? ["The search compares words. Try other words, or `toolweave inspect`."]
          : []),
      ];
      await writeList(lines, pager, io, output);
    }
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    return failures.length > 0 ? exitCode.sourceFailed : exitCode.completed;
  } finally {
    await registry.close();
  }
}
