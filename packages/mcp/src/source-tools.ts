import { compareNames, type LoadedTools } from "@toolweave/core";
import { argumentProblems } from "./options/argument-secrets.ts";
import type { McpServer } from "./options/mcp-options.ts";
import { programOrigin } from "./options/program-digest.ts";
import { providerTools, type ProviderToolHost } from "./resources/provider-tools.ts";
import { hasTasksExtension, taskSupportOf } from "./calls/remote-task.ts";
import { McpTool, type McpToolHost } from "./calls/mcp-tool.ts";
import { usableDefinitions } from "./listing/usable-definitions.ts";
import { withFitHeaders } from "./listing/valid-headers.ts";
import type { ListedDefinitions } from "./listing/list-definitions.ts";
import { namesOf } from "./listing/tool-names.ts";
import { selectDefinitions } from "./listing/select-definitions.ts";
import { orderProblems } from "./listing/prompt-injection-warnings.ts";
import { fingerprintOf, specOf } from "./listing/tool-spec.ts";

/** The tools of what a server lists and offers, and what could not become one. */
export async function toolsOf(
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
    : withFitHeaders(usable);
  const { named, problems } = namesOf(fit, server);
  const mayBecomeTask = hasTasksExtension(capabilities);
  const own = named.map(({ name, definition }) => {
    const json = fingerprintOf(definition);
    const taskSupport = taskSupportOf(definition, capabilities);
    const isTask = taskSupport === "required";
    const context = { name, server: serverName, program, timeoutMs, isTask, mayBecomeTask };
    const spec = specOf(definition, json, context);
    const support = `${taskSupport ?? ""}${mayBecomeTask ? "+" : ""}`;
    return new McpTool(spec, `${name} ${support} ${json}`, definition, host, taskSupport);
  });
  const taken = new Set(named.map(({ name }) => name));
  const others = providerTools({ ...server, program }, host, capabilities, taken);
  return {
    tools: [...own, ...others.tools].sort((a, b) => compareNames(a.spec.name, b.spec.name)),
    problems: [
      ...argumentProblems(server),
      ...listed.problems,
      ...selected.problems,
      ...faults,
      ...headerFaults,
      ...problems,
      ...own.flatMap((tool) => tool.problems),
      ...orderProblems(
        own,
        named.map(({ definition }) => definition.name),
      ),
      ...others.problems,
    ],
  };
}
