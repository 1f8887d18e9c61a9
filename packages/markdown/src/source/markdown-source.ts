import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  ToolError,
  type Hook,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolSource,
} from "@toolweave/core";
import {
  checkOptions,
  checks,
  loadedSource,
  type OptionChecks,
  type SourceProblem,
} from "@toolweave/core/adapter";
import type { BundleArtifact, ScriptLimits } from "../artifact/artifact.ts";
import { isKnownEvent } from "../artifact/keys.ts";
import { readInlineArtifacts } from "../artifact/read-artifact.ts";
import { runCaches } from "../builtins/state.ts";
import { Registrations } from "../effects/registrations.ts";
import { ScriptEffects, type EffectOptions } from "../effects/script-effects.ts";
import type { ScriptHost } from "../script/run-script.ts";
import { toMissingFolder, type Finding } from "../text/finding.ts";
import { ArtifactHooks, type HookDecision } from "./artifact-hooks.ts";
import { ArtifactReader, type ArtifactSet } from "./artifact-set.ts";
import { artifactTool } from "../effects/artifact-tool.ts";
import { fileFinder, findWatchedFolders } from "./find-files.ts";
import { FolderWatch } from "./folder-watch.ts";

/** Options of `markdownSource`. Every one has a default. */
export interface MarkdownSourceOptions extends EffectOptions {
  /** Reads files again when they change. Default: false. */
  readonly watch?: boolean;
  /** Reads the files of the folder. False: only `inline` counts. Default: true. */
  readonly files?: boolean;
  /** The id of the source. Default: `markdown`. */
  readonly id?: string;
  /** Tools and hooks beside those of files, in the form of the lists `tools` and `hooks`. Default: none. */
  readonly inline?: { readonly tools?: JsonValue; readonly hooks?: JsonValue };
  /** Environment variables that scripts may read, and that conditions of bundles see. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Bounds of scripts whose files have none. Default: 64 MiB of memory, 1,000 effects. */
  readonly limits?: ScriptLimits;
  /** Events beside `tool.pre` and `tool.post` that the host emits with `emit`: names, or globs such as `session.*`. Default: none. */
  readonly events?: readonly string[];
  /** Receives what scripts write to the log. Default: nothing happens. */
  readonly log?: NonNullable<ScriptHost["log"]>;
}

const optionChecks: OptionChecks<MarkdownSourceOptions> = {
  watch: checks.flag,
  files: checks.flag,
  id: checks.filledText,
  inline: checks.nested<NonNullable<MarkdownSourceOptions["inline"]>>({
    tools: checks.checkedElsewhere,
    hooks: checks.checkedElsewhere,
  }),
  env: checks.record(checks.anyText),
  limits: checks.nested<ScriptLimits>({
    steps: checks.numberFrom(0),
    memoryBytes: checks.numberFrom(0),
    effects: checks.numberFrom(0),
  }),
  events: checks.list(checks.filledText),
  log: checks.callback,
  workspace: checks.checkedElsewhere,
  web: checks.checkedElsewhere,
  agents: checks.checkedElsewhere,
};

/** The tools of a folder of markdown files, and what else the files declare. */
export interface MarkdownSource extends ToolSource {
  /** The hooks of the files. Give it to the executor: `hooks: [source.hook]`. It follows changes of the files. */
  readonly hook: Hook;
  /** The bundles that are loaded; their texts are context for a model. */
  readonly bundles: readonly BundleArtifact[];
  /** Everything that is wrong with the files, or worth a look. */
  readonly findings: readonly Finding[];
  /** Calls the hooks of an event of the host, such as `session.start`. */
  emit(event: string, payload: JsonObject, runId?: string): Promise<HookDecision>;
  /** Removes the tools and hooks that scripts have registered during a run. */
  endRun(runId: string): void;
  /** Reads the files again. */
  refresh(): Promise<void>;
}

/**
 * The tools and hooks of the markdown files of a folder: `.toolweave/tools/*.md`, `.toolweave/hooks/*.md`, bundles, and the
 * same below `.harness`. Scripts run in Starlark; each of their effects is a call of its own, on which the policy decides.
 * A file with an error hides no other one: see `problems` and `findings`.
 *
 * @param folder the project: paths of scripts are relative to it.
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const artifacts = markdownSource(".", { watch: true });
 * const registry = new ToolRegistry([artifacts]);
 * const executor = new ToolExecutor({ registry, hooks: [artifacts.hook] });
 * ```
 */
export function markdownSource(
  folder: string,
  options: MarkdownSourceOptions = {},
): MarkdownSource {
  checkOptions("markdownSource", options, optionChecks);
  checks.filledText.check("markdownSource: folder", folder);
  const root = resolve(folder);
  const {
    id = "markdown",
    env = {},
    limits = {},
    events = [],
    watch = false,
    files = true,
    log,
  } = options;
  const { workspace = { root }, web, agents } = options;
  const registrations = new Registrations(
    (kind, name) => (kind === "tool" ? set.tools : set.hooks).some((each) => each.name === name),
    () => void source.refresh().catch(() => {}),
  );
  const effects = new ScriptEffects(
    {
      workspace,
      ...(web === undefined ? {} : { web }),
      ...(agents === undefined ? {} : { agents }),
    },
    [registrations.tool],
  );
  const host: ScriptHost = { cacheFor: runCaches(), env, ...(log === undefined ? {} : { log }) };
  const hooks = new ArtifactHooks(host, limits);
  const inline = readInlineArtifacts(options.inline ?? {}, { file: id, line: 1, column: 1 });
  const reader = new ArtifactReader(root, inline, { env, platform: process.platform });
  const closing = new AbortController();
  const services = {
    source: id,
    host,
    effects,
    limits,
    closing: closing.signal,
    findFile: (file: string) => fileFinder(root, file),
  };
  let set: ArtifactSet = { tools: [], hooks: [], bundles: [], findings: [] };
  const folders = new FolderWatch(() => void source.refresh().catch(() => {}));
  const source = loadedSource({
    id,
    trustAnnotations: true,
    secrets: effects.secrets,
    load: async () => {
      if (watch && files) folders.set(findWatchedFolders(root));
      const read = files ? await reader.read() : await reader.readInline();
      const unfired = findUnfiredHooks(read, events);
      const missing =
        files && !isFolder(root) ? [toMissingFolder(root, "error", "tools and hooks")] : [];
      set = { ...read, findings: [...read.findings, ...unfired, ...missing] };
      const registered = registrations.all;
      hooks.set([
        ...read.hooks.map((artifact) => ({ artifact })),
        ...registered.flatMap(({ artifact, runId }) =>
          artifact.kind === "hook" ? [{ artifact, runId }] : [],
        ),
      ]);
      const tools: readonly Tool[] = [
        ...read.tools.map((artifact) => artifactTool(artifact, services)),
        ...registered.flatMap(({ artifact, runId }) =>
          artifact.kind === "tool" ? [artifactTool(artifact, services, runId)] : [],
        ),
      ];
      return { tools, problems: set.findings.map(toProblem) };
    },
    close: () => effects.close(),
  });
  const close = (): Promise<void> => {
    folders.close();
    closing.abort(new ToolError("unavailable", "The source was closed while the call ran."));
    return source.close();
  };
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(source),
      hook: { value: hooks.hook, enumerable: true },
      emit: { value: hooks.emit.bind(hooks), enumerable: true },
      endRun: { value: registrations.end.bind(registrations), enumerable: true },
      bundles: { get: () => set.bundles, enumerable: true },
      findings: { get: () => set.findings, enumerable: true },
      close: { value: close, enumerable: true },
      [Symbol.asyncDispose]: { value: close },
    },
  ) as MarkdownSource;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Hooks that wait for events that the host does not emit. */
function findUnfiredHooks({ hooks }: ArtifactSet, emitted: readonly string[]): readonly Finding[] {
  const isEmitted = (event: string): boolean =>
    ["tool.pre", "tool.post", ...emitted].some((each) =>
      each.endsWith("*") ? event.startsWith(each.slice(0, -1)) : each === event,
    );
  return hooks
    .filter(({ event }) => isKnownEvent(event) && !isEmitted(event))
    .map(({ name, event, place }) => ({
      ...place,
      code: "event_not_fired",
      severity: "warning",
      message: `hook "${name}" waits for the event ${event}, which this host does not emit`,
      hint: "Use tool.pre or tool.post, or name the event in the option events of a host that emits it.",
    }));
}

function toProblem({ file, line, column, severity, message, hint }: Finding): SourceProblem {
  return {
    subject: `${file}:${line}:${column}`,
    message: hint === undefined ? message : `${message}. ${hint}`,
    severity,
  };
}
