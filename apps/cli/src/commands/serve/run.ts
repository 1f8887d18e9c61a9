import { ToolError, ToolExecutor, type Interruption } from "@toolweave/core";
import { forwardToClient, listenHttp, serveMcp, type McpGateway } from "@toolweave/mcp/serve";
import type { ToolOptions } from "../../input/tool-options.ts";
import { Interrupt, rejectOnInterrupt, version, type CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatCount, safeLine, safeValue } from "../../render/text.ts";
import { planSources, type LoadedSources } from "../../sources/load-sources.ts";
import { ApprovalStore } from "../../store/approval-store.ts";
import { readLockFile, resolveLockPath } from "../../store/lock-file.ts";
import { toContextMetadata } from "../../store/pending-call-context.ts";
import { pendingCallHints, printPolicyWarnings } from "../shared/hints.ts";
import { resolveServeLimits, type ServeLimitOptions } from "./limits.ts";
import type { Writable } from "node:stream";

/** The options of `toolweave serve`. */
export interface ServeOptions extends ToolOptions, ServeLimitOptions {
  /** `host:port`; true: the default. Absent: stdio. */
  readonly http?: string | true;
  readonly tokenEnv?: string;
  readonly search?: boolean;
  readonly locked?: boolean;
  readonly lockFile?: string;
  readonly approvals?: "elicit" | "out-of-band";
  readonly policy?: string;
  readonly store?: string;
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
  const plan = await planSources(options, io, output);
  const lock =
    options.locked === true
      ? await readLockFile(resolveLockPath(options.lockFile, plan))
      : undefined;
  const loaded = await plan.load({
    skipWaiting: true,
    mcp: forwardToClient,
    ...(lock === undefined ? {} : { lock }),
  });
  const { registry } = loaded;
  const store = openStore(options.store ?? loaded.store, io);
  try {
    printFailures(loaded, options, output);
    const { policy, servers } = loaded;
    const { timeout, grace: graceMs = defaultGraceMs } = options;
    const { limits, listener } = resolveServeLimits(options, loaded.serve);
    const executor = new ToolExecutor({
      registry,
      key: store.key.value,
      pendingCalls: store.pendingCalls,
      grants: store.grants,
      tasks: store.tasks,
      artifacts: store.artifacts,
      ...(policy === undefined ? {} : { policy }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout, maxTimeoutMs: 0 }),
    });
    const gateway = serveMcp(registry, executor, {
      version: version(),
      providers: servers.map(({ provider }) => provider),
      search: options.search === true ? true : "auto",
      key: store.key.value,
      limits,
      ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
      callMetadata: () => toContextMetadata({ ...options, ...plan }, options.policy),
      howToAnswer: (interruption) => formatHints(interruption, store, io),
      onError: (error) => {
        if (options.verbose === true) output.printMessage(describeError(error, true));
      },
    });
    try {
      const settling = waitForSources(registry.ready, io.signal).then(() => {
        printProblems(loaded, output);
        printPolicyWarnings(executor, output);
      });
      // A host that has started this is answered at once: the gateway itself waits for what a client asks for.
      if (http === undefined) settling.catch(() => {});
      else await settling;
      await (http === undefined
        ? serveStdio(gateway, io)
        : serveHttp(gateway, { ...http, ...listener }, graceMs, registry.size, io, output));
    } catch (error) {
      if (!(error instanceof Interrupt)) throw error;
    } finally {
      await gateway.close({ graceMs });
      await executor.drain({ graceMs: 0 });
    }
    return exitCode.completed;
  } catch (error) {
    // Being stopped is how it ends.
    if (error instanceof Interrupt) return exitCode.completed;
    throw error;
  } finally {
    await registry.close();
    await store.close();
  }
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
  graceMs: number,
  tools: number,
  io: CliIo,
  output: Output,
): Promise<void> {
  const listener = await listenHttp(gateway, options);
  output.printMessage(`toolweave: Serving ${formatCount(tools, "tool")} at ${listener.url}`);
  try {
    await rejectOnInterrupt(new Promise<never>(() => {}), io.signal);
  } finally {
    // The listener goes last: a client reads that its call was cancelled.
    await Promise.all([gateway.close({ graceMs }), listener.close(graceMs + finalResponsesMs)]);
  }
}

/** Addresses that only this machine reaches. */
const loopbackHost = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;
const minTokenLength = 16;

function parseHttpOptions(
  { http, tokenEnv }: ServeOptions,
  io: CliIo,
  output: Output,
): { readonly host: string; readonly port: number; readonly token?: string } {
  const written = http === true || http === undefined ? "127.0.0.1:8137" : http;
  const [, bracketed, plain, digits] =
    /^(?:(?:\[([^\]]+)\]|([^:\s]+)):)?(\d{1,5})$/.exec(written) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw new UsageError("--http must be a port, or host:port, such as 127.0.0.1:8137.");
  }
  const host = bracketed ?? plain ?? "127.0.0.1";
  if (tokenEnv === undefined) {
    if (loopbackHost.test(host)) return { host, port };
    throw new UsageError(
      `${host} can be reached from other machines, which could call every tool: name the environment variable of the clients' token with --token-env.`,
    );
  }
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

/** With its key, so that calls which wait can be answered by other processes from the beginning. */
function openStore(place: string | undefined, io: CliIo): ApprovalStore {
  const store = new ApprovalStore(place, io.env);
  try {
    store.key.save();
    return store;
  } catch (error) {
    // Another process has just made it.
    if (store.key.wasTaken) return new ApprovalStore(place, io.env);
    throw error;
  }
}

function formatHints(interruption: Interruption, store: ApprovalStore, io: CliIo): string {
  const { approve, resume, notes } = pendingCallHints(interruption, store, io.env);
  return [`\`${approve ?? resume ?? ""}\` in a terminal.`, ...notes].join(" ");
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

function printProblems({ registry }: LoadedSources, output: Output): void {
  const failed = new Set(registry.failedSources);
  for (const problem of registry.problems.filter((one) => !failed.has(one))) {
    const { source, subject, message } = problem;
    output.printMessage(
      `toolweave: ${safeValue(source)}: ${safeValue(subject)}: ${safeLine(message)}`,
    );
  }
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
