import { rename, toolsSource, type ToolSource } from "@toolweave/core";
import type { ScheduleStore } from "@toolweave/core/stores";
import type { NetworkRules } from "@toolweave/http";
import { checks } from "@toolweave/core/adapter";
import { workspaceTools, type WorkspaceOptions } from "@toolweave/workspace";
import { browserTools, type BrowserOptions } from "./browser/browser-tools.ts";
import { delegateTool, type DelegateOptions } from "./delegate.ts";
import { memoryTools, type MemoryOptions } from "./memory/memory-tools.ts";
import { scheduleTools } from "./schedule/schedule-tools.ts";
import { webTools } from "./web/web-tools.ts";

/** The systems whose names for tools are known: Claude Code, phi-core and ZeroClaw. */
export type NameStyle = "claude" | "phi" | "zeroclaw";

const names: Readonly<Record<NameStyle, Readonly<Record<string, string>>>> = {
  // The names of phi-core are those of Toolweave.
  phi: {},
  claude: {
    ask_user: "AskUserQuestion",
    bash: "Bash",
    bash_kill: "KillShell",
    bash_output: "BashOutput",
    delegate: "Task",
    edit_file: "Edit",
    list_files: "Glob",
    read_file: "Read",
    search: "Grep",
    todo: "TodoWrite",
    web_fetch: "WebFetch",
    write_file: "Write",
  },
  zeroclaw: {
    bash: "shell",
    edit_file: "file_edit",
    list_files: "glob_search",
    read_file: "file_read",
    schedule_add: "cron_add",
    schedule_list: "cron_list",
    schedule_remove: "cron_remove",
    search: "content_search",
    write_file: "file_write",
  },
};

const sourceCheck = checks.withMethods('workspaceTools({ root: "." })', "tools", "onChange");
const styleCheck = checks.oneOf(...Object.keys(names));

/**
 * A source under the names that another system has for such tools, so that prompts written for it work. The arguments
 * stay those of Toolweave, which a model reads in the schemas. Tools without such a name keep theirs.
 *
 * @throws ToolError `invalid_configuration` for an unknown style.
 * @example
 * ```ts
 * const registry = new ToolRegistry([withNames(workspaceTools({ root: "." }), "claude")]);
 * ```
 */
export function withNames(source: ToolSource, style: NameStyle): ToolSource {
  sourceCheck.check("withNames: source", source);
  styleCheck.check("withNames: style", style);
  const there = new Set(source.tools().map(({ spec }) => spec.name));
  const known = Object.entries(names[style]).filter(([name]) => there.has(name));
  return rename(source, Object.fromEntries(known));
}

/** Options of `defaultTools`. */
export interface DefaultToolsOptions extends WorkspaceOptions {
  /** Names of another system. Default: those of Toolweave. */
  readonly names?: NameStyle;
}

/**
 * The tools that every coding agent begins with: `bash`, `read_file`, `write_file`, `edit_file`, `list_files` and
 * `search` for one folder, with `bash_output` and `bash_kill` for commands in the background.
 *
 * @throws ToolError `invalid_configuration` for an invalid option of the workspace.
 * @example
 * ```ts
 * const registry = new ToolRegistry([defaultTools({ root: "." })]);
 * ```
 */
export function defaultTools(given: DefaultToolsOptions): ToolSource {
  checks.object.check("defaultTools: options", given);
  const { names: style = "phi", ...options } = given;
  styleCheck.check("defaultTools: names", style);
  return withNames(workspaceTools(options), style);
}

/** Options of `allTools`. */
export interface AllToolsOptions extends DefaultToolsOptions {
  /** The model of agents to which tasks are delegated. */
  readonly model: DelegateOptions["model"];
  /** The store of scheduled jobs: `sqliteStore(path).schedules` of `@toolweave/stores`. */
  readonly schedules: ScheduleStore;
  /** The store of memories. Default: one in this process, which ends with it. */
  readonly memory?: MemoryOptions["store"];
  /** The hosts that `http_request`, `web_fetch` and the browser reach. Default: none without approval. */
  readonly hosts?: NetworkRules;
  /** Where the browser is, and whether it has a sandbox. */
  readonly browser?: Pick<BrowserOptions, "executable" | "sandbox">;
}

/**
 * The tools of ZeroClaw's full list: those of `defaultTools`, memory, the web, a browser, delegation and schedules, each
 * group as a source of its own.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const registry = new ToolRegistry(allTools({ root: ".", model, schedules }));
 * ```
 */
export function allTools(options: AllToolsOptions): readonly ToolSource[] {
  checks.object.check("allTools: options", options);
  const {
    model,
    schedules,
    memory,
    hosts = {},
    browser = {},
    names: style = "phi",
    ...workspace
  } = options;
  styleCheck.check("allTools: names", style);
  const preset = style === "claude" ? {} : { preset: style };
  return [
    workspaceTools(workspace),
    memoryTools(memory === undefined ? {} : { store: memory }),
    webTools(hosts),
    browserTools({ ...hosts, ...browser }),
    toolsSource("delegate", [delegateTool({ model, ...preset })]),
    scheduleTools({ store: schedules }),
  ].map((source) => withNames(source, style));
}
