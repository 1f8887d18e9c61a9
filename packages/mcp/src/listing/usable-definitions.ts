import type { JsonObject, SourceProblem } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { measureDefinition } from "../schema/definition-budget.ts";
import { findMissingReference } from "../schema/missing-reference.ts";
import { PatternFaults } from "../schema/pattern-faults.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { readSchema } from "../schema/read-schema.ts";
import { toDisplayName } from "./sanitize-texts.ts";

/** Those that can be a tool, and why the others cannot: one bad definition costs no other. */
export async function usableDefinitions(definitions: readonly McpDefinition[]): Promise<{
  readonly usable: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
}> {
  const usable: McpDefinition[] = [];
  const problems: SourceProblem[] = [];
  const patterns = new PatternFaults();
  for (const definition of definitions) {
    const warnings: SourceProblem[] = [];
    const fault = await faultOf(definition, patterns, (message) => {
      warnings.push({ subject: toDisplayName(definition.name), message, severity: "warning" });
    });
    if (fault === undefined) {
      usable.push(definition);
      problems.push(...warnings);
    } else
      problems.push({
        subject: toDisplayName(definition.name),
        message: `It is no tool: ${fault}.`,
      });
  }
  return { usable, problems };
}

async function faultOf(
  definition: McpDefinition,
  patterns: PatternFaults,
  warn: (message: string) => void,
): Promise<string | undefined> {
  // First: what is too large is not looked at any further.
  const size = measureDefinition(definition);
  if ("fault" in size) return size.fault;
  for (const member of ["inputSchema", "outputSchema"]) {
    const schema = definition[member];
    if (schema === undefined && member === "outputSchema") continue;
    if (!isObject(schema)) return `its ${member} is no schema of an object`;
    const read = readSchema(schema);
    if (typeof read === "string") return `its ${member} ${read}`;
    const missing = findMissingReference(schema);
    if (missing !== undefined) {
      return `its ${member} refers to "${missing.slice(0, 200)}", which is not in it; nothing is fetched for a schema`;
    }
    for (const [pattern, fault] of await patterns.faultsOf(read.patterns)) {
      const shown = JSON.stringify(pattern.slice(0, 100));
      if (fault === "invalid") {
        return `its ${member} has the pattern ${shown}, which is no regular expression`;
      }
      warn(
        `Values are not checked against the pattern ${shown} of its ${member}: nothing can check it in bounded time.`,
      );
    }
  }
  const { type } = definition["inputSchema"] as JsonObject;
  if (type !== undefined && type !== "object") {
    return `its inputSchema is of type ${JSON.stringify(type)}; arguments are an object`;
  }
  return undefined;
}
