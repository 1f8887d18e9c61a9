import type { JsonObject, JsonSchema } from "@toolweave/core";
import { isObject, type SourceProblem } from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import {
  measureDefinition,
  findMissingReference,
  PatternFaults,
  readSchema,
} from "../schema/read-schema.ts";
import { toDisplayName } from "./text-sanitizer.ts";
import { parameterHeaders } from "../transport/http/parameter-headers.ts";

/**
 * Returns the definitions that can be tools, and the problems of the others: one invalid definition does not affect
 * the rest.
 */
export async function selectUsable(definitions: readonly McpDefinition[]): Promise<{
  readonly usable: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
}> {
  const usable: McpDefinition[] = [];
  const problems: SourceProblem[] = [];
  const patterns = new PatternFaults();
  for (const definition of definitions) {
    const warnings: SourceProblem[] = [];
    const fault = await findFault(definition, patterns, (message) => {
      warnings.push({ subject: toDisplayName(definition.name), message, severity: "warning" });
    });
    if (fault === undefined) {
      usable.push(definition);
      problems.push(...warnings);
    } else
      problems.push({
        subject: toDisplayName(definition.name),
        message: `The definition is invalid: ${fault}.`,
      });
  }
  return { usable, problems };
}

async function findFault(
  definition: McpDefinition,
  patterns: PatternFaults,
  warn: (message: string) => void,
): Promise<string | undefined> {
  // First, because nothing else may process a definition that is too large.
  const size = measureDefinition(definition);
  if ("fault" in size) return size.fault;
  for (const member of ["inputSchema", "outputSchema"]) {
    const schema = definition[member];
    if (schema === undefined && member === "outputSchema") continue;
    if (!isObject(schema)) return `its ${member} is not a JSON Schema object`;
    const read = readSchema(schema);
    if (typeof read === "string") return `its ${member} ${read}`;
    const missing = findMissingReference(schema);
    if (missing !== undefined) {
      return `its ${member} refers to "${missing.slice(0, 200)}", which it does not contain; remote references are not fetched`;
    }
    for (const [pattern, fault] of await patterns.findFaults(read.patterns)) {
      const display = JSON.stringify(pattern.slice(0, 100));
      if (fault === "invalid") {
        return `its ${member} has the pattern ${display}, which is not a valid regular expression`;
      }
      warn(
        `Values are not checked against the pattern ${display} of its ${member}: it cannot be checked in bounded time.`,
      );
    }
  }
  const { type } = definition["inputSchema"] as JsonObject;
  if (type !== undefined && type !== "object") {
    return `its inputSchema is of type ${JSON.stringify(type)}; it must be "object"`;
  }
  return undefined;
}

/**
 * Returns the definitions with valid `x-mcp-header` annotations (2026-07-28, Tools, `x-mcp-header`), and the problems
 * of the others.
 */
export function withValidHeaders(definitions: readonly McpDefinition[]): {
  readonly valid: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
} {
  const problems: SourceProblem[] = [];
  const valid = definitions.filter((definition) => {
    const { fault, withheld } = parameterHeaders(definition["inputSchema"] as JsonSchema);
    const subject = toDisplayName(definition.name);
    if (fault !== undefined) {
      problems.push({ subject, message: `The definition is invalid: ${toDisplayName(fault)}.` });
    } else if (withheld.length > 0) {
      const names = toDisplayName(withheld.join(", "));
      const message = `It asks for secrets in headers, which proxies can read: ${names}. They are sent as arguments only.`;
      problems.push({ subject, message, severity: "warning" });
    }
    return fault === undefined;
  });
  return { valid, problems };
}
