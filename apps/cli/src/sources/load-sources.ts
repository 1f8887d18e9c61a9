import type {
  ConfiguredAudit,
  ConfiguredSource,
  LoadConfigOptions,
  LoadedConfig,
  ServeLimits,
} from "@toolweave/config";
import {
  ToolError,
  type ExecutorOptions,
  type PolicyInput,
  type PolicyLayerInput,
  type ToolRegistry,
  type ToolSource,
} from "@toolweave/core";
import { pause } from "@toolweave/core/adapter";
import type { ScheduleStore } from "@toolweave/core/stores";
import type { McpSource } from "@toolweave/mcp";
import { toSourceOptions } from "../input/api-options.ts";
import { isPreset, loadPolicy } from "../input/policy-option.ts";
import { resolveSources, type ResolvedSources, type ToolOptions } from "../input/tool-options.ts";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../process/cli-io.ts";
import { FileError } from "../process/exit-code.ts";
import type { Output } from "../process/output.ts";
import { describeError } from "../render/describe-error.ts";
import { showProgress } from "../render/progress.ts";
import { safeLine, shellLine } from "../render/text.ts";
import {
  defaultCredentials,
  defaultPlace,
  toDataPlace,
  toStorePlace,
  type StorePlace,
} from "../store/store-place.ts";
import type { Document, OriginalSources, StoredModule } from "../store/pending-call-context.ts";
import { assertTrusted } from "./config-trust.ts";
import { mcpServer } from "./mcp-server.ts";
import { displayPath, listPolicyPlaces, type RemedyPlaces } from "../render/remedy.ts";
import { sortSources } from "./source-kind.ts";

/** The sources' tools, and what could not be loaded. The caller closes the registry. */
export interface LoadedSources {
  readonly registry: ToolRegistry;
  readonly servers: readonly McpSource[];
  /** All of them. */
  readonly sources: readonly ToolSource[];
  /** The error of each source that could not be loaded. */
  readonly failures: readonly unknown[];
  /** The policies of the workspace and of the file, narrowed by `--policy`. */
  readonly policy: PolicyInput | undefined;
  /** Where a person writes what changes a decision. */
  readonly places: RemedyPlaces;
  /** The hooks of the file's scripts. */
  readonly hooks: NonNullable<ExecutorOptions["hooks"]>;
  /** The store of the file, if it has one; else the one without any option. */
  readonly store: StorePlace;
  /** The scheduled jobs, if the file has schedules. */
  readonly schedules: ScheduleStore | undefined;
  /** Where the file has decisions recorded, besides the store. */
  readonly audit: ConfiguredAudit | undefined;
  /** The limits of `toolweave serve` in the file. */
  readonly serve: ServeLimits | undefined;
  /** Says how the tools of a source get names that no other source has. */
  howToPrefix(source: string): string;
  /** Reads the schemas of all operations and removes those that cannot be called: they would be listed as tools. */
  removeBrokenTools(): Promise<void>;
}

/** The sources of a command, before they are loaded. */
export interface SourcePlan extends ResolvedSources {
  /**
   * Loads everything; resolves when each source has loaded or failed.
   *
   * @throws UsageError for a file that cannot be meant; Interrupt
   */
  load(options?: LoadPlanOptions): Promise<LoadedSources>;
}

/** A command's options for loading. */
interface LoadPlanOptions extends Pick<LoadConfigOptions, "lock" | "mcp" | "watch"> {
  /** Does not wait for the sources. Default: false. */
  readonly skipWaiting?: boolean;
  /** The only tool that the command needs: sources that load slowly are not awaited once it is there. */
  readonly tool?: string;
}

/** The time that the other sources get once the only tool that is needed is there. */
const otherSourcesMs = 1_000;

/**
 * Reads and checks the command line's options for sources and policy; nothing is loaded yet. A configuration that was
 * found in the current folder has to be trusted before anything else happens.
 *
 * @throws UsageError, UntrustedConfig
 */
export async function planSources(
  written: ToolOptions & { readonly policy?: string; readonly json?: boolean },
  io: CliIo,
  output: Output,
  { documents, modules, folder = process.cwd() }: OriginalSources = {},
): Promise<SourcePlan> {
  const options = await sortSources(written, io);
  const chosen = resolveSources(options);
  const { openapi, mcp, tools, workspace, config, found } = chosen;
  if (found && config !== undefined) await assertTrusted(config, written, io);
  const api = toSourceOptions({ ...options, openapi }, io.env);
  output.addSecrets(...api.secrets);
  const servers = mcp.map((written) =>
    mcpServer(written, {
      isAlone: openapi.length + mcp.length + tools.length === 1 && config === undefined,
      folder,
      headers: (api.options.headers ?? {}) as Readonly<Record<string, string>>,
      auth: options.auth ?? [],
      timeout: options.timeout,
      env: io.env,
      credentials: () => defaultCredentials(io.env),
    }),
  );
  const policy = await loadPolicy(written.policy);
  const load = async (more: LoadPlanOptions = {}): Promise<LoadedSources> => {
    const [{ ToolRegistry }, { openApiSource }] = await Promise.all([
      import("@toolweave/core"),
      import("@toolweave/openapi"),
    ]);
    if (io.signal.aborted) throw new Interrupt();
    const { watch = false } = more;
    const place = await defaultPlace(io.env);
    const file =
      config === undefined
        ? undefined
        : await loadConfigFile(config, place, io, output, { ...more, watch: watch && !found });
    const documentSources = (documents ?? openapi.map((location): Document => ({ location }))).map(
      ({ location, id }) => {
        const sourceOptions = id === undefined ? api.options : { ...api.options, id };
        return /^https?:\/\//i.test(location)
          ? openApiSource.fromUrl(location, sourceOptions)
          : openApiSource.fromFile(location, sourceOptions);
      },
    );
    const serverSources =
      servers.length === 0
        ? []
        : await import("@toolweave/mcp").then(({ mcpSource }) =>
            servers.map((server) => mcpSource({ ...more.mcp, ...server })),
          );
    const folderTools = workspace === undefined ? undefined : await loadWorkspace(workspace);
    const { lock } = more;
    const moduleTools = await loadModules(modules ?? tools.map((path) => ({ path })), watch);
    const explicitSources = [
      ...documentSources,
      ...serverSources,
      ...moduleTools,
      ...(folderTools === undefined ? [] : [folderTools.source]),
    ];
    const locked =
      lock === undefined || explicitSources.length === 0
        ? explicitSources
        : await import("@toolweave/config").then(({ locked }) =>
            explicitSources.map((source) => locked(source, lock)),
          );
    const registry = file?.registry ?? new ToolRegistry([], { onProblem: ignoreProblem });
    const configured = file?.sources ?? [];
    const all = [...explicitSources, ...configured.map(({ source }) => source)];
    try {
      registry.add(locked);
      const failures =
        more.skipWaiting === true ? [] : await waitForSources(all, registry, chosen, io, more.tool);
      return {
        registry,
        servers: [
          ...serverSources,
          ...configured.flatMap((one) => (one.kind === "mcp" ? [one.source] : [])),
        ],
        sources: all,
        failures,
        policy: combinePolicies(
          combinePolicies(folderTools?.policy, file?.executorOptions.policy),
          policy,
        ),
        places: findPlaces(chosen, file?.executorOptions.policy, written.policy, policy),
        hooks: file?.executorOptions.hooks ?? [],
        store: file?.store === undefined ? place : toStorePlace(file.store),
        schedules: file?.schedules,
        audit: file?.audit,
        serve: file?.serve,
        howToPrefix: (id) =>
          prefixAdvice(
            configured.find(({ source }) => source.id === id),
            config,
          ),
        removeBrokenTools: async () => {
          for (const source of documentSources) source.realize();
          for (const one of configured) if (one.kind === "openapi") one.source.realize();
          // The sources notify the registry in a microtask.
          await Promise.resolve();
        },
      };
    } catch (error) {
      await registry.close();
      throw error;
    }
  };
  return { ...chosen, load };
}

function prefixAdvice(source: ConfiguredSource | undefined, config: string | undefined): string {
  if (source === undefined || config === undefined) {
    return "Use one of them at a time, or give each a prefix in a toolweave.json: `toolweave init` writes one.";
  }
  if (source.kind === "module") return `Rename them in ${source.name}.`;
  if (source.kind === "markdown" || source.kind === "skills")
    return `Rename the files of "${source.name}".`;
  if (source.kind === "workspace" || source.kind === "builtin")
    return `Rename the others: the tools of "${source.name}" in ${config} keep their names.`;
  return `Set "prefix" for ${source.kind}.${source.name} in ${config}.`;
}

/** Runs the code of modules that the user has named. */
async function loadModules(
  modules: readonly StoredModule[],
  watch: boolean,
): Promise<readonly ToolSource[]> {
  if (modules.length === 0) return [];
  const { moduleSources } = await import("@toolweave/config");
  const loaded = modules.map(({ path, id = path }) => moduleSources(path, { id, watch }));
  return (await Promise.all(loaded)).flat();
}

/** The tools for a folder, with the policy for its commands. */
async function loadWorkspace(
  root: string,
): Promise<{ readonly source: ToolSource; readonly policy: PolicyLayerInput }> {
  const { workspacePolicy, workspaceTools } = await import("@toolweave/workspace");
  return { source: workspaceTools({ root }), policy: workspacePolicy() };
}

async function waitForSources(
  sources: readonly { readonly ready: Promise<void> }[],
  registry: ToolRegistry,
  { openapi, mcp, tools, config }: ResolvedSources,
  io: CliIo,
  tool: string | undefined,
): Promise<unknown[]> {
  const loaded = [...openapi, ...mcp, ...tools, ...(config === undefined ? [] : [config])].join(
    ", ",
  );
  const done = showProgress(io, `Loading ${safeLine(loaded)} …`);
  try {
    const failures: unknown[] = [];
    const ends = sources.map(({ ready }) =>
      ready.catch((error: unknown) => void failures.push(withLoginCommand(error, mcp))),
    );
    const all = Promise.all([registry.ready, ...ends]);
    const enough: Promise<unknown> =
      tool === undefined ? all : whenThere(tool, registry, ends, all);
    await rejectOnInterrupt(enough, io.signal);
    return [...failures];
  } finally {
    done();
  }
}

/** Resolves some time after a source has loaded the tool, or as soon as all have loaded. */
async function whenThere(
  tool: string,
  registry: ToolRegistry,
  ends: readonly Promise<unknown>[],
  all: Promise<unknown>,
): Promise<void> {
  const isThere = new Promise<void>((resolve) => {
    const check = (): void => {
      if (registry.get(tool) !== undefined) resolve();
    };
    check();
    for (const end of ends) void end.then(check);
    registry.onChange(check);
  });
  await Promise.race([all, isThere]);
  await pause(otherSourcesMs, { wake: all });
}

/** The command of an error that asks for a sign-in names a server of `--mcp` by its URL: it is in no file. */
function withLoginCommand(error: unknown, servers: readonly string[]): unknown {
  if (!ToolError.is(error) || error.code !== "auth_required") return error;
  const message = error.message.replace(
    /run `toolweave login (\S+)`, or use signIn\(\) of @toolweave\/mcp/,
    (_, name: string) => {
      const url = servers.find((server) => URL.parse(server)?.host === name);
      return url === undefined
        ? `run \`toolweave login ${name}\``
        : `run \`toolweave login --mcp ${shellLine([url])}\`, or, if it has no OAuth, send its token with --header 'Authorization: Bearer $TOKEN'`;
    },
  );
  return new ToolError(error.code, message, { cause: error });
}

async function loadConfigFile(
  path: string,
  place: StorePlace,
  io: CliIo,
  output: Output,
  { lock, mcp, watch = false }: LoadPlanOptions,
): Promise<LoadedConfig> {
  const { loadConfig } = await import("@toolweave/config");
  try {
    const config = await loadConfig(path, {
      env: io.env,
      store: toDataPlace(place),
      ...(lock === undefined ? {} : { lock }),
      ...(mcp === undefined ? {} : { mcp }),
      watch,
      onProblem: ignoreProblem,
    });
    output.addSecrets(...config.secrets);
    for (const warning of config.warnings)
      output.printMessage(describeError(new Error(warning), false));
    return config;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new FileError(error.message, { cause: error });
  }
}

/** Where the policies of the file and of the command line are written. */
function findPlaces(
  { config, openapi, mcp, tools, workspace }: ResolvedSources,
  configured: PolicyInput | undefined,
  option: string | undefined,
  explicit: PolicyInput | undefined,
): RemedyPlaces {
  const layers = [configured ?? []].flat() as readonly PolicyLayerInput[];
  const own = layers.filter((layer) => typeof layer !== "object" || !("decide" in layer));
  const ofSources = layers.length - own.length;
  const file = config === undefined ? undefined : displayPath(config);
  const [first, ...others] = own;
  // A file without a policy has one with the first rule.
  const inFile = others.length > 0 ? own : (first ?? (explicit === undefined ? {} : undefined));
  const policies = [
    ...(file === undefined || inFile === undefined
      ? []
      : [{ policy: inFile, file, path: "policy" }]),
    ...(option === undefined || explicit === undefined
      ? []
      : [{ policy: explicit, ...(isPreset(option) ? {} : { file: option }) }]),
  ];
  return {
    config: openapi.length + mcp.length + tools.length === 0 ? file : undefined,
    workspace: ofSources > 0 && isImplicit(first ?? [explicit].flat()[0]) ? file : undefined,
    policies: listPolicyPlaces(
      ofSources + (workspace === undefined ? 0 : 1),
      policies,
      (rule) => `Pass a file with { "rules": [${rule}] } as --policy.`,
    ),
  };
}

/** Whether the rules of a workspace decide about commands that no rule of the policy matches. */
function isImplicit(policy: PolicyLayerInput | undefined): boolean {
  return (
    policy === undefined ||
    (typeof policy === "object" && !("preset" in policy) && !("default" in policy))
  );
}

/** Combines the policies. One of the command line cannot allow what the file forbids. */
function combinePolicies(
  configured: PolicyInput | undefined,
  explicit: PolicyInput | undefined,
): PolicyInput | undefined {
  if (configured === undefined || explicit === undefined) return explicit ?? configured;
  return [configured, explicit].flat() as readonly PolicyLayerInput[];
}

/** The commands print problems themselves. */
function ignoreProblem(): void {}
