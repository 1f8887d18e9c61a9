import type { PolicyEffect, RegisteredTool } from "@toolweave/core";
import { cliExecutor } from "./cli-executor.ts";
import type { CliIo } from "./cli-io.ts";
import { describeError } from "./describe-error.ts";
import { exitCode } from "./exit-code.ts";
import { writeJson } from "./inspect.ts";
import { loadPolicy } from "./load-policy.ts";
import { loadRegistry } from "./load-registry.ts";
import type { Output } from "./output.ts";
import { renderTools } from "./render-tools.ts";
import { sourceOptions, type ApiOptions } from "./source-options.ts";

/** The options of `toolweave search`. */
export interface SearchOptions extends ApiOptions {
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
  const { openapi, limit, json, verbose = false } = options;
  const api = sourceOptions(options, io.env);
  output.keepSecret(...api.secrets);
  const policy = await loadPolicy(options.policy);
  const documents = openapi.map((location) => ({ location }));
  const [{ ToolIndex }, { registry, sources, failures }] = await Promise.all([
    import("@toolweave/core/search"),
    loadRegistry(documents, api.options, io),
  ]);
  try {
    // As `inspect` does: what cannot be called must not be found.
    for (const source of sources) source.realize();
    await Promise.resolve();
    const tools = registry.toolset();
    const index = new ToolIndex();
    index.update(tools);
    const entries = index
      .search(words.join(" "), limit)
      .map(({ name }) => tools.entry(name) as RegisteredTool);
    const executor = cliExecutor({ registry, policy });
    const decisions = new Map<string, PolicyEffect>();
    for (const { tool } of entries) {
      const { name } = tool.spec;
      decisions.set(name, (await executor.explain({ name })).effect);
    }
    if (json === true) {
      await writeJson(entries, { problems: registry.problems, decisions, warnings: [] }, output);
    } else if (failures.length < openapi.length) {
      for (const line of renderTools(entries, decisions, io.stdout))
        await output.write(`${line}\n`);
      const found = entries.length === 0 ? "None" : `\n${entries.length}`;
      await output.write(`${found} of ${tools.size} tool${tools.size === 1 ? "" : "s"}\n`);
    }
    for (const failure of failures) output.say(describeError(failure, verbose));
    return failures.length > 0 ? exitCode.sourceFailed : exitCode.completed;
  } finally {
    await registry.close();
  }
}
