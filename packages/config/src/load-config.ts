import {
  ToolError,
  ToolRegistry,
  type ExecutorOptions,
  type JsonObject,
  type PolicyInput,
  type PolicyLayerInput,
  type RegistryOptions,
  type SourcePolicy,
  type ToolSource,
} from "@toolweave/core";
import type { CredentialStore, ScheduleStore } from "@toolweave/core/stores";
import { mcpSource, type McpServer } from "@toolweave/mcp";
import { openApiSource } from "@toolweave/openapi";
import type { agentSource } from "./agents/agent-source.ts";
import { configuredAgents, type ConfiguredAgent } from "./agents/configured-agent.ts";
import type { AgentModels } from "./agents/written-model.ts";
import {
  configuredBuiltin,
  makeBuiltin,
  type ConfiguredBuiltin,
} from "./builtin/configured-builtin.ts";
import type { Lock } from "./lock/lock.ts";
import { locked } from "./lock/locked.ts";
import { checkConfig, configuredPolicy } from "./reading/check-config.ts";
import {
  configuredModules,
  loadModules,
  type ConfiguredModule,
} from "./modules/configured-module.ts";
import { failedSource } from "./modules/module-source.ts";
import {
  configuredMarkdown,
  configuredSkills,
  makeMarkdown,
  makeSkills,
  type ConfiguredMarkdown,
} from "./markdown/configured-markdown.ts";
import type { ConfiguredSource } from "./configured-source.ts";
import { ConfigReader } from "./reading/config-reader.ts";
import { checkSecretVariables } from "./serve/secret-variables.ts";
import { configuredAudit, type ConfiguredAudit } from "./serve/configured-audit.ts";
import { configuredServe, type ServeLimits } from "./serve/configured-serve.ts";
import { readInputs, readInput } from "./reading/read-input.ts";
import { configuredStore, type StorePlace } from "./store/configured-store.ts";
import type { SharedStore } from "./store/shared-store.ts";
import { storedCredentials } from "./store/stored-data.ts";
import {
  configuredWorkspace,
  makeWorkspace,
  type ConfiguredWorkspace,
} from "./workspace/configured-workspace.ts";
import {
  configuredDocuments,
  configuredServers,
  type ConfiguredDocument,
  type ConfiguredServer,
  type ServerDefaults,
} from "./servers/configured-server.ts";

/** Options that a file cannot hold. Every one has a default. */
export interface LoadConfigOptions {
  /** The variables of references. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder to which paths are relative. Default: the file's folder; for an object the current one. */
  readonly folder?: string;
  /**
   * Where data is stored if the file has no `store`: a folder, or a database, which the caller closes. Default: no data is
   * stored.
   */
  readonly store?: string | SharedStore;
  /** The store of tokens. Default: those of the store, in a folder files below `credentials`; else memory. */
  readonly credentials?: CredentialStore;
  /** Options for every MCP server beside those of the file: handlers, such as `onElicitation`. */
  readonly mcp?: ServerDefaults;
  /** Language models by id, for agents whose `model` is one of these ids. They go before packages. */
  readonly models?: AgentModels;
  /** Tools that are not in it, or are described in another way, are quarantined: see `locked`. */
  readonly lock?: Lock;
  /** Receives what fails to load, in place of a process warning: see `RegistryOptions` of core. */
  readonly onProblem?: NonNullable<RegistryOptions["onProblem"]>;
  /** Loads the modules of `tools` again when their files change: see `moduleSources`. Default: false. */
  readonly watch?: boolean;
}

/** The result of loading a configuration. */
export interface LoadedConfig {
  /** Still loading: see `ready`. Close it, or this object. */
  readonly registry: ToolRegistry;
  /** For `new ToolExecutor({ registry, ...executorOptions })`. */
  readonly executorOptions: Pick<ExecutorOptions, "policy" | "hooks">;
  /** In the order: MCP servers, documents, the workspace, built-in tools, markdown files, skills, modules, agents, incomplete sources; without what the lock quarantines. */
  readonly sources: readonly ConfiguredSource[];
  /** Unknown keys of the file, and rules of policies that can never match, with line and column. */
  readonly warnings: readonly string[];
  /** The `store` of the file: the absolute path of a folder, or a database. */
  readonly store?: string | SharedStore;
  /** The jobs of `builtin.schedule`, for `scheduleWorker`; absent: the file has no schedules. */
  readonly schedules?: ScheduleStore;
  /** Where decisions are recorded besides the store; absent: nowhere. */
  readonly audit?: ConfiguredAudit;
  /** The limits of `toolweave serve` that the file has; absent: none. */
  readonly serve?: ServeLimits;
  /** Values that came from the environment, and must not be displayed. */
  readonly secrets: readonly string[];
  /** Closes the registry, ends its servers, and ends the connections to the database of the file. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes the registry that a `toolweave.json` describes, or any file with `mcpServers` or `servers` in the form of other
 * hosts. Resolves as soon as the file is read; its sources are then still loading, and one that fails is in
 * `registry.problems`. So is a source that refers to an environment variable which is not set; the other sources work.
 *
 * @param input a path, a `file:` URL, or the content of a file.
 * @throws ToolError `unavailable` for a file that cannot be read, is no regular file or has more than 64 MiB;
 * `invalid_configuration` for an invalid one, with the line and column of every fault and its correction.
 * @example
 * ```ts
 * await using config = await loadConfig("toolweave.json");
 * await config.registry.ready;
 * const executor = new ToolExecutor({ registry: config.registry, ...config.executorOptions });
 * ```
 */
export async function loadConfig(
  input: string | URL | object,
  options: LoadConfigOptions = {},
): Promise<LoadedConfig> {
  const read = await readConfig(input, options);
  const { servers, documents, agents, policy, store, serve, reader } = read;
  // A configuration without agents need not wait for their modules.
  const toSource =
    agents.length === 0 ? undefined : (await import("./agents/agent-source.ts")).agentSource;
  const { lock, watch = false } = options;
  const workspace = await makeWorkspace(read.workspace, reader);
  const builtin = await makeBuiltin(read.builtin, reader);
  const markdown = await makeMarkdown(read.markdown, watch, reader);
  const skills = await makeSkills(read.skills, read.markdown);
  const modules = await loadModules(read.modules, watch);
  const sources: ConfiguredSource[] = [];
  const registry = new ToolRegistry(
    [],
    options.onProblem === undefined ? {} : { onProblem: options.onProblem },
  );
  try {
    for (const maker of makers(servers, documents)) sources.push(attempt(maker, reader));
    if (workspace !== undefined) {
      sources.push({ kind: "workspace", name: workspace.source.id, source: workspace.source });
    }
    for (const source of builtin.sources) {
      sources.push({ kind: "builtin", name: source.id, source });
    }
    if (markdown !== undefined) {
      sources.push({ kind: "markdown", name: markdown.source.id, source: markdown.source });
    }
    if (skills !== undefined) sources.push({ kind: "skills", name: skills.id, source: skills });
    sources.push(...modules);
    for (const maker of agentMakers(agents, toSource, registry)) {
      sources.push(attempt(maker, reader));
    }
    for (const { name, problems } of reader.incomplete.values()) {
      const error = new ToolError("unavailable", problems.join("\n"), { retryable: false });
      sources.push({ kind: "incomplete", name, source: failedSource(name, error), problems });
    }
    // All at once: two tools of one name are reported with both their places.
    registry.add(sources.map(({ source }) => (lock === undefined ? source : locked(source, lock))));
  } catch (error) {
    const made = new Set([...sources, ...modules].map(({ source }) => source));
    for (const source of builtin.sources) made.add(source);
    if (workspace !== undefined) made.add(workspace.source);
    if (markdown !== undefined) made.add(markdown.source);
    if (skills !== undefined) made.add(skills);
    await Promise.allSettled([...made].map((source) => source.close()));
    if (typeof store === "object") await store.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await registry.close();
    if (typeof store === "object") await store.close();
  };
  return {
    registry,
    executorOptions: {
      ...combinePolicies(
        workspace && { ...workspace.policy, sources: [workspace.source.id, ...scripts] },
        policy,
      ),
      ...(markdown === undefined ? {} : { hooks: [markdown.hook] }),
    },
    sources,
    warnings: reader.warnings,
    ...(store === undefined ? {} : { store }),
    ...(read.audit === undefined ? {} : { audit: read.audit }),
    ...(serve === undefined ? {} : { serve }),
    ...(builtin.schedules === undefined ? {} : { schedules: builtin.schedules }),
    secrets: [
      ...[...servers, ...documents, ...agents, read.builtin].flatMap((part) => part?.secrets ?? []),
      ...(typeof store === "object" ? store.secrets : []),
    ],
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * The options of one MCP server of a configuration, as `mcpSource` and `signIn` take them; nothing is connected.
 *
 * @returns undefined: there is no such server.
 * @throws ToolError as `loadConfig` does.
 */
export async function serverOf(
  input: string | URL | object,
  name: string,
  options: LoadConfigOptions = {},
): Promise<McpServer | undefined> {
  const { servers, reader } = await readConfig(input, options);
  for (const [pointer, source] of reader.incomplete) {
    if (source.name !== name || !serverPointer.test(pointer)) continue;
    throw new ToolError("invalid_configuration", source.problems.join("\n"));
  }
  return servers.find(({ server }) => server.name === name)?.server;
}

/**
 * The `store` of a configuration; no source is made.
 *
 * @returns the absolute path of a folder, or a database, which the caller closes; undefined: it has none.
 * @throws ToolError as `loadConfig` does.
 */
export async function readStore(
  input: string | URL | object,
  options: Pick<LoadConfigOptions, "env" | "folder"> = {},
): Promise<string | SharedStore | undefined> {
  return (await readConfig(input, options)).store;
}

const serverPointer = /^\/(?:mcpServers|servers|mcp)\//;

interface ReadConfig {
  readonly servers: readonly ConfiguredServer[];
  readonly documents: readonly ConfiguredDocument[];
  readonly modules: readonly ConfiguredModule[];
  readonly workspace: ConfiguredWorkspace | undefined;
  readonly builtin: ConfiguredBuiltin | undefined;
  readonly markdown: ConfiguredMarkdown | undefined;
  readonly skills: readonly string[];
  readonly agents: readonly ConfiguredAgent[];
  readonly policy: PolicyInput | undefined;
  readonly store: StorePlace | undefined;
  readonly audit: ConfiguredAudit | undefined;
  readonly serve: ServeLimits | undefined;
  readonly reader: ConfigReader;
}

async function readConfig(
  input: string | URL | object,
  options: LoadConfigOptions,
): Promise<ReadConfig> {
  const { text, folder } = readInput(input, options.folder);
  const { env = process.env, mcp: defaults = {}, models = {} } = options;
  const reader = new ConfigReader(text, { env, folder, inputs: readInputs(text.value) });
  await checkConfig(text.value, reader);
  reader.refuse();
  const config = text.value as JsonObject;
  const store = configuredStore(config, folder, env, reader);
  const place = store ?? options.store;
  const credentials =
    options.credentials ?? (place === undefined ? undefined : storedCredentials(place));
  const servers = configuredServers(config, folder, reader, defaults, credentials);
  const documents = configuredDocuments(config, folder, reader, credentials);
  const modules = configuredModules(config, folder, reader);
  const workspace = configuredWorkspace(config, folder, reader);
  const builtin = configuredBuiltin(config, store, reader);
  const markdown = configuredMarkdown(config, folder, reader, {
    workspace: workspace?.options,
    web: builtin?.groups["web"],
    env,
  });
  const skills = configuredSkills(config, folder, reader);
  const agents = configuredAgents(config, { folder, env, models }, reader);
  const policy = configuredPolicy(config, reader);
  refuseSameNames({ servers, documents, agents }, reader);
  reader.refuse();
  const serve = configuredServe(config, reader);
  checkSecretVariables(serve?.approvals, reader);
  reader.refuse();
  return {
    servers,
    documents,
    modules,
    workspace,
    builtin,
    markdown,
    skills,
    agents,
    policy,
    store,
    audit: configuredAudit(config, folder),
    serve,
    reader,
  };
}

/** The sources whose scripts work in the workspace; `scripts` are those of a session of the command line. */
const scripts: readonly string[] = ["markdown", "skills", "scripts"];

function combinePolicies(
  workspace: SourcePolicy | undefined,
  policy: PolicyInput | undefined,
): { readonly policy?: PolicyInput } {
  if (workspace === undefined) return policy === undefined ? {} : { policy };
  return { policy: [workspace, ...([policy ?? []].flat() as readonly PolicyLayerInput[])] };
}

interface Maker {
  readonly pointer: string;
  readonly secrets: readonly string[];
  make(): ConfiguredSource;
}

function makers(
  servers: readonly ConfiguredServer[],
  documents: readonly ConfiguredDocument[],
): Maker[] {
  return [
    ...servers.map(({ server, pointer, secrets }): Maker => ({
      pointer,
      secrets,
      make: () => ({ kind: "mcp", name: server.name, source: mcpSource(server), server }),
    })),
    ...documents.map(({ location, options, pointer, secrets }): Maker => ({
      pointer,
      secrets,
      make: () => ({
        kind: "openapi",
        name: options.id as string,
        source:
          "url" in location
            ? openApiSource.fromUrl(location.url, options)
            : openApiSource.fromFile(location.file, options),
      }),
    })),
  ];
}

function agentMakers(
  agents: readonly ConfiguredAgent[],
  toSource: typeof agentSource | undefined,
  registry: ToolRegistry,
): Maker[] {
  if (toSource === undefined) return [];
  return agents.map((agent) => ({
    pointer: agent.pointer,
    secrets: agent.secrets,
    make: () => ({ kind: "agent", name: agent.options.name, source: toSource(agent, registry) }),
  }));
}

/** An option that a source rejects is reported with its place in the file. */
function attempt({ make, pointer, secrets }: Maker, reader: ConfigReader): ConfiguredSource {
  let made: ConfiguredSource;
  try {
    made = make();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.faultOfFile(pointer, error.message);
    reader.refuse(error);
    throw error;
  }
  const known: ToolSource = made.source;
  for (const secret of secrets) known.secrets?.add(secret);
  return made;
}

function refuseSameNames(
  { servers, documents, agents }: Pick<ReadConfig, "servers" | "documents" | "agents">,
  reader: ConfigReader,
): void {
  const names = new Map(servers.map(({ server }) => [server.name, "an MCP server"]));
  const others = [
    ...documents.map(({ options, pointer }) => ({
      name: options.id as string,
      pointer,
      what: "a document",
    })),
    ...agents.map(({ options, pointer }) => ({ name: options.name, pointer, what: "an agent" })),
  ];
  for (const { name, pointer, what } of others) {
    const other = names.get(name);
    if (other === undefined) names.set(name, what);
    else reader.fault(pointer, `${other} has the name "${name}", too: rename one`);
  }
}
