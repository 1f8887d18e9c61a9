import type { Tool, ToolRegistry } from "@toolweave/core";
import { nearNames } from "@toolweave/core/adapter";
import { UsageError } from "../../process/exit-code.ts";
import type { SourcePlan } from "../../sources/load-sources.ts";

/**
 * True where a source that failed ends the command: one that was named on the command line, or any when the tool is not
 * found. Of a file's servers one may be dead, and the others work.
 */
export function cannotContinue(
  { config }: SourcePlan,
  failures: readonly unknown[],
  found: Tool | undefined,
): boolean {
  return failures.length > 0 && (config === undefined || found === undefined);
}

/** Creates the error for a tool that no source has. */
export function unknownToolError(registry: ToolRegistry, tool: string): UsageError {
  const near = nearNames(tool, registry.toolset().names());
  const meant = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
  return new UsageError(
    `There is no tool ${JSON.stringify(tool.slice(0, 80))}.${meant} \`toolweave inspect\` lists them.`,
  );
}
