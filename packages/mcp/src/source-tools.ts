import {
  compareNames,
  globMatcher,
  canonicalJson,
  unmatchedWarning,
  type LoadedTools,
  type SourceProblem,
} from "@toolweave/core/adapter";
import { toArgumentWarnings } from "./options/server-secrets.ts";
import type { McpServer, Selection } from "./options/mcp-options.ts";
import { createProviderTools, type ProviderToolHost } from "./resources/provider-tools.ts";
import { hasTasksExtension, getTaskSupport } from "./calls/remote-task.ts";
import { McpTool, type McpToolHost } from "./calls/mcp-tool.ts";
import { selectUsable, withValidHeaders, getFingerprint, toToolSpec } from "./listing/tool-spec.ts";
import type { ListedDefinitions } from "./listing/list-definitions.ts";
import { assignNames } from "./listing/tool-names.ts";
import type { Tool, JsonObject, JsonValue } from "@toolweave/core";
import { findingProblem, scanSpec, twinProblems } from "@toolweave/core/scan";
import type { McpDefinition } from "./transport/messages/mcp-connection.ts";
import { resolve, sep } from "node:path";

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

/** Maximum number of characters of one list that are scanned; real lists have less than a hundredth of it. */
const maxCharacters = 5_000_000;

/**
 * Returns a warning for each tool whose texts look like prompt injection, and for names that look alike: see
 * `scanSpec` and `twinProblems`. The tools stay: the warning is for the person who decides whether they may run.
 */
function promptInjectionWarnings(
  tools: readonly Tool[],
  originals?: readonly string[],
): readonly SourceProblem[] {
  const problems: SourceProblem[] = [...twinProblems(tools, originals)];
  let remaining = maxCharacters;
  for (const { spec, fingerprint = "" } of tools) {
    remaining -= fingerprint.length;
    if (remaining < 0) {
      const message = `The list is too long to be scanned for prompt injection: tools from ${spec.name} on were not scanned.`;
      problems.push({ subject: "tools/list", message, severity: "warning" });
      break;
    }
    for (const finding of scanSpec(spec)) problems.push(findingProblem(spec, finding, "server"));
  }
  return problems;
}

/**
 * Selects the definitions that match `include`, if it is set, and not `exclude`. Returns a warning for each glob, and
 * each name in `rename`, that matches no tool of the server.
 *
 * @param subject Subject of the warnings.
 */
function selectDefinitions(
  definitions: readonly McpDefinition[],
  { include, exclude = [], rename = {} }: Selection,
  subject: string,
): { readonly definitions: readonly McpDefinition[]; readonly problems: readonly SourceProblem[] } {
  const isIncluded = include === undefined ? () => true : globMatcher(include);
  const isExcluded = globMatcher(exclude);
  const names = definitions.map(({ name }) => name);
  const unused = (
    option: string,
    glob: string,
    matches: (name: string) => boolean,
  ): SourceProblem[] =>
    definitions.some(({ name }) => matches(name))
      ? []
      : [
          {
            subject,
            message: unmatchedWarning(option, glob, names, "tool of the server"),
            severity: "warning",
          },
        ];
  const globs = (option: string, all: readonly string[]): SourceProblem[] =>
    all.flatMap((glob) => unused(option, glob, globMatcher([glob])));
  return {
    definitions: definitions.filter(({ name }) => isIncluded(name) && !isExcluded(name)),
    problems: [
      ...globs("include", include ?? []),
      ...globs("exclude", exclude),
      ...Object.keys(rename).flatMap((toolName) =>
        unused("rename", toolName, (name) => name === toolName),
      ),
    ],
  };
}

/**
 * Identifies the program behind a server's name in the provenance of its tools, so that an approval, a grant and a
 * lock apply to this program and to no other under the same name. Digests only (SHA-256, hexadecimal): arguments and
 * addresses may contain secrets.
 *
 * - `program`: the server's `declaration`, else its URL, or its command and arguments without the working folder;
 * with the names of the environment variables. The same on every machine.
 * - `place`: command, arguments and working folder on this machine.
 *
 * Empty for a client that the host has connected: its server is not known.
 */
export function toProgramOrigin(server: McpServer): JsonObject {
  if ("url" in server) {
    return { program: toDigest(["http", server.declaration ?? new URL(server.url).href]) };
  }
  if (!("command" in server)) return {};
  const { command, args = [], env = {}, cwd = "", declaration } = server;
  const folder = resolve(cwd);
  const portable = (word: string): string =>
    folder === sep ? word : word.replaceAll(`${folder}${sep}`, `\${cwd}${sep}`);
  return {
    program: toDigest([
      "stdio",
      declaration ?? [command, ...args].map(portable),
      Object.keys(env).sort(),
    ]),
    place: toDigest([command, args, realPath(folder)]),
  };
}

function realPath(path: string): string {
  try {
    // An import of node:fs would load its promises, and with them a part of Node.js that nothing here uses.
    return process.getBuiltinModule("node:fs").realpathSync(path);
  } catch {
    return path;
  }
}

function toDigest(parts: readonly JsonValue[]): string {
  // Loaded on demand: Node.js takes several milliseconds for it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(canonicalJson(parts)).digest("hex");
}
