import { compareNames, type LoadedTools } from "@toolweave/core/adapter";
import { toArgumentWarnings } from "./options/server-secrets.ts";
import type { McpServer } from "./options/mcp-options.ts";
import { toProgramOrigin } from "./options/program-digest.ts";
import { createProviderTools, type ProviderToolHost } from "./resources/provider-tools.ts";
import { hasTasksExtension, getTaskSupport } from "./calls/remote-task.ts";
import { McpTool, type McpToolHost } from "./calls/mcp-tool.ts";
import { selectUsable, withValidHeaders } from "./listing/usable-definitions.ts";
import type { ListedDefinitions } from "./listing/list-definitions.ts";
import { assignNames } from "./listing/tool-names.ts";
import { selectDefinitions } from "./listing/select-definitions.ts";
import { promptInjectionWarnings } from "./listing/prompt-injection-warnings.ts";
import { getFingerprint, toToolSpec } from "./listing/tool-spec.ts";

/** Creates the tools from a server's list and capabilities, with the problems of those that could not be created. */
export async function createTools(
  listed: ListedDefinitions,
  server: McpServer,
  host: McpToolHost & ProviderToolHost,
): Promise<LoadedTools> {
  const { capabilities } = listed;
  const { name: serverName, timeoutMs } = server;
  const selected = selectDefinitions(listed.definitions, server, serverName);
  const { usable, problems: faults } = await selectUsable(selected.definitions);
  const isLocal = "command" in server;
  const program = toProgramOrigin(server);
  const { valid, problems: headerFaults } = isLocal
    ? { valid: usable, problems: [] }
    : withValidHeaders(usable);
  const { named, problems } = assignNames(valid, server);
  const mayBecomeTask = hasTasksExtension(capabilities);
  const serverTools = named.map(({ name, definition }) => {
    const json = getFingerprint(definition);
    const taskSupport = getTaskSupport(definition, capabilities);
    const isTask = taskSupport === "required";
    const context = { name, server: serverName, program, timeoutMs, isTask, mayBecomeTask };
    const spec = toToolSpec(definition, json, context);
    const support = `${taskSupport ?? ""}${mayBecomeTask ? "+" : ""}`;
    return new McpTool(spec, `${name} ${support} ${json}`, definition, host, taskSupport);
  });
  const takenNames = new Set(named.map(({ name }) => name));
  const offered = createProviderTools({ ...server, program }, host, capabilities, takenNames);
  return {
    tools: [...serverTools, ...offered.tools].sort((a, b) =>
      compareNames(a.spec.name, b.spec.name),
    ),
    problems: [
      ...toArgumentWarnings(server),
      ...listed.problems,
      ...selected.problems,
      ...faults,
      ...headerFaults,
      ...problems,
      ...serverTools.flatMap((tool) => tool.problems),
      ...promptInjectionWarnings(
        serverTools,
        named.map(({ definition }) => definition.name),
      ),
      ...offered.problems,
    ],
  };
}
