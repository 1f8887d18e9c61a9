import type { PolicyEffect } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { renderTools, writeToolsJson } from "../../render/tool-list.ts";
import { planSources } from "../../sources/load-sources.ts";
import { createExecutor } from "../shared/executor.ts";

/** The options of `toolweave search`. */
export interface SearchOptions extends ToolOptions {
  readonly limit: number;
  readonly policy?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `toolweave search`: lists the tools that are about some words, the best first. */
export async function search(
  words: readonly string[],
  options: SearchOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { limit, json, verbose = false } = options;
  const plan = await planSources(options, io, output);
  const [{ ToolIndex }, loaded] = await Promise.all([
    import("@toolweave/core/search"),
    plan.load(),
  ]);
  const { registry, documents, failures, sources, policy } = loaded;
  try {
    // As `inspect` does: what cannot be called must not be found.
    for (const document of documents) document.realize();
    await Promise.resolve();
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
      for (const line of renderTools(entries, decisions, io.stdout))
        await output.write(`${line}\n`);
      const found = entries.length === 0 ? "None" : `\n${entries.length}`;
      await output.write(`${found} of ${tools.size} tool${tools.size === 1 ? "" : "s"}\n`);
    }
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    return failures.length > 0 ? exitCode.sourceFailed : exitCode.completed;
  } finally {
    await registry.close();
  }
}
