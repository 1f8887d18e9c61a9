import type { PolicyDefinition, ToolSelection } from "@toolweave/core";
import { checks, cleanName, globMatcher, isToolName, prefixName } from "@toolweave/core/adapter";
import type { Finding } from "../text/finding.ts";
import type { ToolReference } from "./tool-references.ts";

/** How names of tools in a file become names of tools of the host. */
export interface ToolMapping {
  /** The names of the tools that there are. Absent: names are not checked, and may be globs. */
  readonly available?: Iterable<string>;
  /**
   * The host's own names for those of a file: `{ WebSearch: ["search_web"] }`. They replace the defaults; keys are
   * compared in lower case.
   */
  readonly toolNames?: Readonly<Record<string, readonly string[]>>;
}

/** The part of a toolset that a file names. It takes tools away, and gives none. */
export interface MappedTools {
  readonly selection: ToolSelection;
  /** Denies calls of tools of which only some were named: `Bash(git:*)`. Absent: there are none. */
  readonly policy?: PolicyDefinition;
  /** Names that no tool has, and patterns that are not enforced. */
  readonly findings: readonly Finding[];
}

const shell = ["bash", "bash_output", "bash_kill"] as const;
const edit = ["edit_file", "apply_patch"] as const;

/**
 * The tools of `@toolweave/workspace` and `@toolweave/builtin` for the names of Claude Code and of Copilot, which are
 * compared in lower case.
 *
 * @see https://code.claude.com/docs/en/tools-reference
 * @see https://docs.github.com/en/copilot/reference/custom-agents-configuration#tool-aliases
 */
const aliases: Readonly<Record<string, readonly string[]>> = {
  read: ["read_file"],
  notebookread: ["read_file"],
  write: ["write_file"],
  edit: [...edit, "write_file"],
  multiedit: edit,
  notebookedit: edit,
  glob: ["list_files"],
  ls: ["list_files"],
  grep: ["search"],
  search: ["search", "list_files"],
  bash: shell,
  shell,
  execute: shell,
  powershell: shell,
  bashoutput: ["bash_output"],
  killshell: ["bash_kill"],
  webfetch: ["web_fetch", "http_request"],
  websearch: ["web_search"],
  web: ["web_fetch", "http_request", "web_search"],
  todowrite: ["todo"],
  todo: ["todo"],
  task: ["delegate"],
  agent: ["delegate"],
  "custom-agent": ["delegate"],
  skill: ["skill__*", "list_skills", "read_skill", "read_skill_file"],
  askuserquestion: ["ask_user"],
};

/** Names that are written with a capital in one format, and mean less there than the same word of the other one. */
const exactAliases: Readonly<Record<string, readonly string[]>> = {
  Edit: edit,
};

/** Whether a name is known without knowing the host's tools: an alias, a tool of a server, or the form of a name here. */
export function isKnownTool({ name }: ToolReference): boolean {
  return (
    name === "*" ||
    Object.hasOwn(aliases, name.toLowerCase()) ||
    serverTool(name) !== undefined ||
    /^[a-z_][a-z0-9_*-]*$/.test(name)
  );
}

/**
 * Maps the tools that a file names to tools of the host.
 *
 * @param references the names; undefined: all tools.
 * @param excluded names that are taken away afterwards.
 */
export function mapTools(
  references: readonly ToolReference[] | undefined,
  mapping: ToolMapping = {},
  excluded: readonly ToolReference[] = [],
): MappedTools {
  if (references !== undefined)
    checks.list(checks.object).check("mapTools: references", references);
  checks.object.check("mapTools: mapping", mapping);
  const available = mapping.available === undefined ? undefined : [...mapping.available];
  const findings: Finding[] = [];
  const include = new Set<string>();
  /** The commands of a shell that are named; undefined: all of them. */
  let commands: readonly string[] | undefined = [];
  for (const reference of references ?? []) {
    const names = find(reference, mapping, available);
    const { name, place, text, pattern } = reference;
    if (names.length === 0) {
      const message = `no tool here is meant by ${text}`;
      const hint =
        "It gives nothing. Correct the name, or map it with the option toolNames of the host.";
      findings.push({ ...place, code: "unknown_tool", severity: "warning", message, hint });
      continue;
    }
    for (const one of names) include.add(one);
    const isShell = names.includes("bash");
    if (pattern !== undefined && !isShell && !namesSubject(reference)) {
      const message = `the pattern of ${text} is not enforced`;
      const hint = "The tool is left whole, under the policy of the host.";
      findings.push({ ...place, code: "pattern_ignored", severity: "warning", message, hint });
    }
    if (name === "*" || (isShell && (pattern === undefined || isEverything(pattern))))
      commands = undefined;
    else if (isShell && commands !== undefined)
      commands = [...commands, ...toGlobs((pattern as string).trim())];
  }
  const exclude = new Set(
    excluded.flatMap((reference) =>
      // A pattern of a denied tool denies a part of it: the rest is denied with it.
      find(reference, mapping, available),
    ),
  );
  const isLimited = commands !== undefined && commands.length > 0;
  return {
    selection: {
      ...(references === undefined ? {} : { include: [...include].sort() }),
      ...(exclude.size === 0 ? {} : { exclude: [...exclude].sort() }),
    },
    ...(isLimited ? { policy: toPolicy(commands ?? [], include) } : {}),
    findings,
  };
}

/** The names of the host's tools that a reference means; empty: none. */
function find(
  reference: ToolReference,
  { toolNames = {} }: ToolMapping,
  available: readonly string[] | undefined,
): readonly string[] {
  const names = candidates(reference, toolNames);
  if (available === undefined) return names;
  return names.flatMap((name) => {
    if (!name.includes("*")) return available.includes(name) ? [name] : [];
    const matches = globMatcher([name]);
    return available.filter((one) => matches(one));
  });
}

function candidates(
  reference: ToolReference,
  toolNames: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const { name, pattern } = reference;
  if (name === "*") return ["*"];
  const lower = name.toLowerCase();
  const own = Object.entries(toolNames).find(([key]) => key.toLowerCase() === lower);
  if (own !== undefined) return own[1];
  const subject = namesSubject(reference) ? (pattern as string).trim() : undefined;
  if (subject !== undefined && lower === "skill")
    return [prefixName("skill", subject), "list_skills", "read_skill", "read_skill_file"];
  // An agent is a tool of its name.
  if (subject !== undefined) return subject.split(/\s*,\s*/).map((agent) => cleanName(agent));
  if (Object.hasOwn(exactAliases, name)) return exactAliases[name] as readonly string[];
  if (Object.hasOwn(aliases, lower)) return aliases[lower] as readonly string[];
  const ofServer = serverTool(name);
  if (ofServer !== undefined) return [ofServer];
  return isToolName(name) || /^[A-Za-z_*][\w*-]*$/.test(name) ? [name] : [];
}

/** Whether the text in parentheses names what is used, such as `Skill(pdf)` and `Agent(reviewer)`. */
function namesSubject({ name, pattern = "" }: ToolReference): boolean {
  return /^(?:skill|agent|task)$/i.test(name) && !/^\s*\*?\s*$/.test(pattern);
}

/** The name of a tool of an MCP server, as sources prefix it: `mcp__github__get_issue`, `github/get_issue`. */
function serverTool(name: string): string | undefined {
  const [, claudeServer, claudeTool] = /^mcp__([^*]+?)(?:__(.+))?$/.exec(name) ?? [];
  const [, server = claudeServer, tool = claudeTool] =
    /^([\w.@-]+(?:\/[\w.@-]+)*)\/([\w.*-]+)$/.exec(name) ?? [];
  if (server === undefined) return undefined;
  const prefix = cleanName(server);
  return tool === undefined || tool === "*" ? `${prefix}__*` : `${prefix}__${tool}`;
}

/** The globs of a pattern of commands: `git:*` is a beginning in whole words, `git *` too, all else is the command. */
function toGlobs(pattern: string): readonly string[] {
  const [, beginning] = /^(.*?)(?::| )\*$/.exec(pattern) ?? [];
  return beginning === undefined ? [pattern] : [beginning, `${beginning} *`];
}

/** Whether a pattern in parentheses means all calls. */
function isEverything(pattern: string): boolean {
  return /^\s*:?\*?\s*$/.test(pattern);
}

/** Parts of a line of a shell that can run another command. */
const composed = ["*$(*", "*`*", "*;*", "*|*", "*&*", "*<(*", "*>(*"];

/** The tools that the executor adds. */
const builtInTools = ["read_artifact", "task_*", "search_tools", "describe_tool", "call_tool"];

/**
 * The policy that leaves some commands of `bash` and the other tools. `@toolweave/workspace` asks for a permission for
 * each command of a script, with the command as its target, and for the script as a whole if it is not understood.
 */
function toPolicy(commands: readonly string[], names: Iterable<string>): PolicyDefinition {
  const others = [...names].filter((name) => name !== "bash");
  return {
    name: "allowed-tools",
    default: "deny",
    rules: [
      { effect: "allow", tools: [...others, ...builtInTools] },
      { effect: "allow", tools: "bash", permissions: { kind: "process", target: commands } },
      {
        effect: "ask",
        tools: "bash",
        permissions: { kind: "process", target: composed },
        reason: "it may run commands beside those that are named",
      },
      {
        effect: "allow",
        tools: "bash",
        permissions: { kind: ["fs.read", "fs.write", "network", "custom.*"] },
      },
    ],
  };
}
