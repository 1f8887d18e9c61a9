import type { JsonSchema, SourceProblem } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { parameterHeaders } from "../transport/http/parameter-headers.ts";
import { toDisplayName } from "./sanitize-texts.ts";

/** Those whose `x-mcp-header` annotations can be meant (2026-07-28, Tools, `x-mcp-header`), and what is wrong with the others. */
export function withValidHeaders(definitions: readonly McpDefinition[]): {
  readonly fit: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
} {
  const problems: SourceProblem[] = [];
  const fit = definitions.filter((definition) => {
    const { fault, withheld } = parameterHeaders(definition["inputSchema"] as JsonSchema);
    const subject = toDisplayName(definition.name);
    if (fault !== undefined) {
      problems.push({ subject, message: `It is no tool: ${toDisplayName(fault)}.` });
    } else if (withheld.length > 0) {
      const names = toDisplayName(withheld.join(", "));
      const message = `It wants secrets in headers, where proxies read them: ${names}. They are sent as arguments only.`;
      problems.push({ subject, message, severity: "warning" });
    }
    return fault === undefined;
  });
  return { fit, problems };
}
