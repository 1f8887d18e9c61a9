import { compareNames, type LoadedTools } from "@toolweave/core";
import { argumentWarnings } from "./options/argument-secrets.ts";
import type { McpServer } from "./options/mcp-options.ts";
import { programOrigin } from "./options/program-digest.ts";
import { providerTools, type ProviderToolHost } from "./resources/provider-tools.ts";
import { hasTasksExtension, getTaskSupport } from "./calls/remote-task.ts";
import { McpTool, type McpToolHost } from "./calls/mcp-tool.ts";
import { usableDefinitions } from "./listing/usable-definitions.ts";
import { withValidHeaders } from "./listing/valid-headers.ts";
import type { ListedDefinitions } from "./listing/list-definitions.ts";
import { assignNames } from "./listing/tool-names.ts";
import { selectDefinitions } from "./listing/select-definitions.ts";
import { promptInjectionWarnings } from "./listing/prompt-injection-warnings.ts";
import { getFingerprint, toToolSpec } from "./listing/tool-spec.ts";

/** The tools of what a server lists and offers, and what could not become one. */
export async function createTools(
  listed: ListedDefinitions,
  server: McpServer,
  host: McpToolHost & ProviderToolHost,
): Promise<LoadedTools> {
  const { capabilities } = listed;
  const { name: serverName, timeoutMs } = server;
  const selected = selectDefinitions(listed.definitions, server, serverName);
  const { usable, problems: faults } = await usableDefinitions(selected.definitions);
  const isLocal = "command" in server;
  const program = programOrigin(server);
  const { fit, problems: headerFaults } = isLocal
    ? { fit: usable, problems: [] }
    : withValidHeaders(usable);
  const { named, problems } = assignNames(fit, server);
  const mayBecomeTask = hasTasksExtension(capabilities);
  const own = named.map(({ name, definition }) => {
    const json = getFingerprint(definition);
    const taskSupport = getTaskSupport(definition, capabilities);
    const isTask = taskSupport === "required";
    const context = { name, server: serverName, program, timeoutMs, isTask, mayBecomeTask };
    const spec = toToolSpec(definition, json, context);
    const support = `${taskSupport ?? ""}${mayBecomeTask ? "+" : ""}`;
    return new McpTool(spec, `${name} ${support} ${json}`, definition, host, taskSupport);
  });
  const taken = new Set(named.map(({ name }) => name));
  const others = providerTools({ ...server, program }, host, capabilities, taken);
  return {
    tools: [...own, ...others.tools].sort((a, b) => compareNames(a.spec.name, b.spec.name)),
    problems: [
      ...argumentWarnings(server),
      ...listed.problems,
      ...selected.problems,
      ...faults,
      ...headerFaults,
      ...problems,
      ...own.flatMap((tool) => tool.problems),
      ...promptInjectionWarnings(
        own,
        named.map(({ definition }) => definition.name),
      ),
      ...others.problems,
    ],
  };
}
