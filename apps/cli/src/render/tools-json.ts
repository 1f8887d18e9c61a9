import type { PolicyEffect, RegistryProblem } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import type { Output } from "../process/output.ts";
import { safeJson } from "./safe-text.ts";

/** @internal The fields of `inspect --json` beside the tools. */
export interface InspectFindings {
  readonly problems: readonly RegistryProblem[];
  readonly decisions: ReadonlyMap<string, PolicyEffect>;
  readonly warnings: readonly string[];
}

/** @internal Tools and findings as one JSON object; a tool that cannot be written becomes a problem. */
export async function writeToolsJson(
  entries: readonly RegisteredTool[],
  { problems, decisions, warnings }: InspectFindings,
  output: Pick<Output, "write">,
): Promise<void> {
  const found = [...problems];
  // Tool by tool: all of a large document at once would be one string of many megabytes.
  await output.write('{"tools":[');
  let separator = "\n";
  for (const { tool, source } of entries) {
    let json: string;
    try {
      json = safeJson(JSON.stringify(tool.spec));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `The tool cannot be serialized as JSON: ${reason}.`;
      found.push({ source, subject: tool.spec.name, message });
      continue;
    }
    await output.write(separator + json);
    separator = ",\n";
  }
  const rest = { problems: found, decisions: Object.fromEntries(decisions), warnings };
  await output.write(`\n],${safeJson(JSON.stringify(rest)).slice(1)}\n`);
}
