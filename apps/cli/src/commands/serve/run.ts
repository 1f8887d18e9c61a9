import { ToolError, ToolExecutor, type RegistryProblem } from "@toolweave/core";
import {
  forwardToClient,
  listenHttp,
  serveMcp,
  type McpGateway,
  type McpProvider,
} from "@toolweave/mcp/serve";
import { maskLocation } from "../../input/secret-options.ts";
import type { ToolOptions } from "../../input/tool-options.ts";
import { Interrupt, rejectOnInterrupt, version, type CliIo } from "../../process/cli-io.ts";
import { SourceFailure, UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatCount, safeLine, safeValue } from "../../render/text.ts";
import { describeCollisions } from "../../render/tool-list.ts";
import { addScripts } from "../../sources/script-source.ts";
import { planSources, type LoadedSources, type SourcePlan } from "../../sources/load-sources.ts";
import { executorStores } from "../../store/command-store.ts";
import { openAudit } from "../../store/open-audit.ts";
import { openStore, printStoreErrors } from "../../store/open-store.ts";
import { readLockFile, resolveLockPath } from "../../store/lock-file.ts";
import { toContextMetadata } from "../../store/pending-call-context.ts";
import { formatHints, printPolicyWarnings } from "../shared/hints.ts";
import { parseAddress } from "../shared/parse-address.ts";
import { prepareApprovalsAccess } from "./approvals-access.ts";
import { oneCallerNotice, resolveCallers, type HttpAddress } from "./callers.ts";
import { resolveServeLimits, type ServeLimitOptions } from "./limits.ts";
import { openRecording } from "./recording.ts";
import { resolveReplica } from "./replica.ts";
import { startTelemetry } from "./telemetry.ts";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** The options of `toolweave serve`. */
export interface ServeOptions extends ToolOptions, ServeLimitOptions {
  /** `host:port`; true: the default. Absent: stdio. */
  readonly http?: string | true;
  readonly tokenEnv?: string;
  readonly replicaUrl?: string;
  readonly search?: boolean;
  readonly locked?: boolean;
  readonly lockFile?: string;
  readonly watch?: boolean;
  readonly approvals?: "elicit" | "out-of-band";
  readonly policy?: string;
  readonly store?: string;
  /** Folders of Agent Skills. */
  readonly skills?: readonly string[];
  /** The file that events are recorded in. */
  readonly events?: string;
  /** Milliseconds. Default: 5,000. */
  readonly grace?: number;
  readonly verbose?: boolean;
}

/** The time that sources have to load before the gateway over HTTP prints its address and the problems of the sources. */
const sourceLoadGraceMs = 3_000;
const defaultGraceMs = 5_000;
/** The time to send the responses of calls that were cancelled at the end. */
const finalResponsesMs = 2_000;

/**
 * `toolweave serve`: the tools as an MCP server, until the client disconnects or Ctrl-C. Over stdio nothing but the protocol
 * is on stdout.
 */
export async function serve(options: ServeOptions, io: CliIo, output: Output): Promise<number> {
  const http = options.http === undefined ? undefined : parseHttpOptions(options, io, output);
  if (http === undefined && options.tokenEnv !== undefined) {
    throw new UsageError("--token-env is for --http: over stdio only who starts it has it.");
  }
  resolveServeLimits(options, undefined);
  resolveReplica(options, undefined);
  const plan = await planSources(options, io, output);
  const { watch = false } = options;
  if (watch) assertWatchable(plan);
  const lock =
    options.locked === true
      ? await readLockFile(resolveLockPath(options.lockFile, plan))
      : undefined;
  const recording = await openRecording(options.events);
  const loaded = await plan.load({
    skipWaiting: true,
    mcp: forwardToClient,
    watch,
    ...(lock === undefined ? {} : { lock }),
  });
  const { registry } = loaded;
  const store = await openStore(options.store, loaded.store, io.env);
  printStoreErrors(store, output);
  const telemetry = await startTelemetry(io.env, output);
  try {
    printFailures(loaded, options, output);
    const { policy, hooks, servers } = loaded;
    const { timeout, grace: graceMs = defaultGraceMs } = options;
    const { limits, listener } = resolveServeLimits(options, loaded.serve);
    const replica = resolveReplica(options, loaded.serve);
    const which = options.scripts ?? loaded.serve?.scripts;
    const scripts = await addScripts(registry, which, options.policy);
    const approvals = await prepareApprovalsAccess(loaded.serve?.approvals, {
      stores: { pendingCalls: store.pendingCalls },
      io,
      output,
      gatewayToken: http?.token,
      isHttp: http !== undefined,
    });
    const callers =
      http === undefined ? undefined : resolveCallers(http, options.tokenEnv, loaded.serve);
    const executor = new ToolExecutor({
      registry,
      key: store.key.value,
      ...executorStores(store),
      audit: await openAudit(store, "serve", loaded.audit),
      hooks: [...hooks, ...approvals.hooks, ...(telemetry?.hooks ?? [])],
      ...(policy === undefined ? {} : { policy }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout, maxTimeoutMs: 0 }),
      ...telemetry?.measured(store),
      // What one of them is granted would be granted to all.
      ...(callers?.areApart === false ? { grants: false } : {}),
      ...recording.options,
    });
    recording.start(executor);
    const skills = await loadSkills(options, output);
    const gateway = serveMcp(registry, executor, {
      version: version(),
      providers: [...servers.map(({ provider }) => provider), ...skills],
      search: options.search === true ? true : "auto",
      ...scripts,
      key: store.key.value,
      limits,
      ...(replica === undefined
        ? {}
        : { replica: { url: replica.url }, rateLimits: store.rateLimits }),
      ...(telemetry === undefined ? {} : { metrics: telemetry.metrics }),
      ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
      callMetadata: () =>
        toContextMetadata({ ...options, ...plan }, options.policy, scripts !== undefined),
      howToAnswer: (interruption) => formatHints(interruption, store, io.env),
      onError: (error) => {
        if (options.verbose === true) output.printMessage(describeError(error, true));
      },
    });
    let code: number = exitCode.completed;
    try {
      const settling = waitForSources(registry.ready, io.signal).then(() => {
        printProblems(loaded, output);
        printPolicyWarnings(executor, output);
        if (watch) printLaterProblems(loaded, output);
      });
      const failed = rejectWhenAllFailed(loaded);
      // It is handled below, as soon as clients are served.
      failed.catch(() => {});
      // A host that has started this is answered at once: the gateway itself waits for what a client asks for.
      if (http === undefined || callers === undefined) {
        const announced = settling.then(() => {
          if (loaded.sources.length > 0 && registry.failedSources.length === loaded.sources.length)
            return;
          output.printMessage(
            `toolweave: Serving ${describeTools(loaded)} over stdio, to the program that started this command.`,
          );
        });
        announced.catch(() => {});
        await Promise.race([serveStdio(gateway, io), failed]);
      } else {
        await Promise.race([settling, failed]);
        await approvals.listen(executor);
        const { host, port } = http;
        const onListening = (url: string): void => {
          const what = `Serving ${describeTools(loaded)} to ${callers.description}`;
          const notice = callers.areApart ? "" : `\n${oneCallerNotice}`;
          output.printMessage(`toolweave: ${what}, at ${url}${notice}`);
        };
        await Promise.race([
          serveHttp(
            gateway,
            { host, port, ...callers.options, ...listener },
            { graceMs, drainDelayMs: replica?.drainDelayMs ?? 0 },
            onListening,
            io,
          ),
          failed,
        ]);
      }
    } catch (error) {
      if (error instanceof SourceFailure) {
        output.printMessage(describeError(error, false));
        code = exitCode.sourceFailed;
      } else if (!(error instanceof Interrupt)) throw error;
    } finally {
      await gateway.close({ graceMs });
      await executor.drain({ graceMs: 0 });
      await approvals.close(finalResponsesMs);
    }
    return code;
  } catch (error) {
    // Being stopped is how it ends.
    if (error instanceof Interrupt) return exitCode.completed;
    throw error;
  } finally {
    await registry.close();
    await store.close();
    await recording.close();
    await telemetry?.close();
  }
}

/** The provider of the skills, if there are folders of them. Skills with errors are reported, and not served. */
async function loadSkills(
  { skills = [] }: ServeOptions,
  output: Output,
): Promise<readonly McpProvider[]> {
  if (skills.length === 0) return [];
  const { readSkills, skillsProvider } = await import("@toolweave/markdown");
  const { findings } = await readSkills(skills);
  for (const { file, line, column, severity, message } of findings) {
    if (severity === "error")
      output.printMessage(`toolweave: ${safeLine(`${file}:${line}:${column}: ${message}`)}`);
  }
  return [skillsProvider(skills)];
}

async function serveStdio(gateway: McpGateway, io: CliIo): Promise<void> {
  const connection = gateway.stdio({ input: io.stdin, output: io.stdout });
  const watching = new AbortController();
  const outputEnd = waitForOutputClose(io.stdout, watching.signal);
  try {
    await rejectOnInterrupt(Promise.race([connection.closed, outputEnd]), io.signal);
  } finally {
    watching.abort();
  }
}

async function serveHttp(
  gateway: McpGateway,
  options: Parameters<typeof listenHttp>[1],
  { graceMs, drainDelayMs }: { readonly graceMs: number; readonly drainDelayMs: number },
  onListening: (url: string) => void,
  io: CliIo,
): Promise<void> {
  const listener = await listenHttp(gateway, options);
  onListening(listener.url);
  try {
    await rejectOnInterrupt(new Promise<never>(() => {}), io.signal);
  } finally {
    gateway.drain();
    // The load balancer notices it meanwhile: its requests are still answered.
    await delay(drainDelayMs);
    // The listener goes last: a client reads that its call was cancelled.
    await Promise.all([gateway.close({ graceMs }), listener.close(graceMs + finalResponsesMs)]);
  }
}

const minTokenLength = 16;

function parseHttpOptions(
  { http, tokenEnv }: ServeOptions,
  io: CliIo,
  output: Output,
): HttpAddress {
  const written = http === true || http === undefined ? "127.0.0.1:8137" : http;
  const { host, port } = parseAddress("--http", written);
  if (tokenEnv === undefined) return { host, port };
  const token = io.env[tokenEnv] ?? "";
  if (token === "") {
    throw new UsageError(
      `--token-env names the environment variable ${tokenEnv}, which is not set.`,
    );
  }
  output.addSecrets(token);
  if (token.length < minTokenLength) {
    throw new UsageError(
      `The token in ${tokenEnv} can be guessed: use ${minTokenLength} characters or more, such as those of \`openssl rand -base64 32\`.`,
    );
  }
  return { host, port, token };
}

/** Prints the sources that failed. One failed server does not stop the others. */
function printFailures(
  { sources }: LoadedSources,
  { verbose }: ServeOptions,
  output: Output,
): void {
  for (const { ready } of sources) {
    ready.catch((error: unknown) => {
      // Closed before it was there.
      if (ToolError.is(error) && error.code === "cancelled") return;
      output.printMessage(describeError(error, verbose === true));
    });
  }
}

function printProblems({ registry, howToPrefix }: LoadedSources, output: Output): void {
  const failed = new Set(registry.failedSources);
  const problems = registry.problems.filter((one) => !failed.has(one));
  for (const collision of describeCollisions(problems, howToPrefix)) {
    output.printMessage(`toolweave: ${collision}`);
  }
  for (const problem of problems) {
    if (problem.nameTakenBy === undefined) output.printMessage(problemText(problem));
  }
}

function problemText({ source, subject, message }: RegistryProblem): string {
  const name =
    source === subject ? safeValue(source) : `${safeValue(source)}: ${safeValue(subject)}`;
  return `toolweave: ${name}: ${safeLine(message)}`;
}

/** Never resolves. Rejects when there are sources, and none of them could be loaded. */
async function rejectWhenAllFailed({ sources }: LoadedSources): Promise<never> {
  const ends = await Promise.allSettled(sources.map(({ ready }) => ready));
  if (ends.length > 0 && ends.every(({ status }) => status === "rejected")) {
    throw new SourceFailure("Nothing can be served: no source of tools could be loaded.");
  }
  return new Promise(() => {});
}

/** @throws UsageError if there is no module that the user has named. */
function assertWatchable({ tools, config, found }: SourcePlan): void {
  if (tools.length > 0 || (config !== undefined && !found)) return;
  throw new UsageError(
    found
      ? "--watch reloads modules of a file that you name: use --config. A file that was found is used as you have trusted it."
      : "--watch reloads modules: name one, such as ./tools.ts, or a configuration with `tools`.",
  );
}

/** Prints problems that appear later, such as a module that cannot be loaded again, each once. */
function printLaterProblems({ registry, sources }: LoadedSources, output: Output): void {
  const toKey = ({ source, subject, message }: RegistryProblem): string =>
    `${source} ${subject} ${message}`;
  let known = new Set(registry.problems.map(toKey));
  for (const source of sources) {
    source.onChange(() => {
      const problems = registry.problems;
      for (const problem of problems) {
        if (!known.has(toKey(problem))) output.printMessage(problemText(problem));
      }
      known = new Set(problems.map(toKey));
    });
  }
}

const maxListedSources = 5;

/** The number of tools, and the sources that have loaded: `3 tools of ./tools.ts and pets.yaml`. */
function describeTools({ registry, sources }: LoadedSources): string {
  const failed = new Set(registry.failedSources.map(({ source }) => source));
  const names = sources.flatMap(({ id }) => (failed.has(id) ? [] : [safeValue(maskLocation(id))]));
  const listed = names.slice(0, maxListedSources);
  if (names.length > listed.length) listed.push(`${names.length - listed.length} more`);
  const of = listed.length === 0 ? "" : ` of ${listed.join(", ")}`;
  const notes = [
    ...(failed.size > 0 ? [`${formatCount(failed.size, "source")} failed`] : []),
    ...(registry.loading ? ["others are still loading"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${formatCount(registry.size, "tool")}${of}${note}`;
}

async function waitForSources(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, sourceLoadGraceMs);
  });
  try {
    await rejectOnInterrupt(Promise.race([ready, timedOut]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds between two checks. */
const pollIntervalMs = 2_000;

/**
 * Resolves when the output has no reader any more, until `signal` fires. Without writes there is no notification of that:
 * a write of nothing does, where the output is a socket, as most hosts give it to the processes that they start. A pipe
 * of a shell reports it with the next message.
 */
function waitForOutputClose(output: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const poll = (): void => {
      output.write("", (error) => {
        if (error !== null && error !== undefined) finish();
        else if (!signal.aborted) timer = setTimeout(poll, pollIntervalMs).unref();
      });
    };
    output.once("close", finish);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    poll();
  });
}
