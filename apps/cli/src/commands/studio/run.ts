import { existsSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { LockableTool } from "@toolweave/config";
import type { ListenConsoleOptions } from "@toolweave/console";
import { ToolExecutor } from "@toolweave/core";
import type { ToolOptions } from "../../input/tool-options.ts";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { SourceFailure, UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { getUserName } from "../../process/user-name.ts";
import { canPrompt } from "../../prompt/questions.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatCount, safeJson, shellLine } from "../../render/text.ts";
import { planSources, type SourcePlan } from "../../sources/load-sources.ts";
import { executorStores, type CommandStore } from "../../store/command-store.ts";
import { readLockFile, resolveLockPath } from "../../store/lock-file.ts";
import { openAudit } from "../../store/open-audit.ts";
import { openStore, printStoreErrors } from "../../store/open-store.ts";
import { toContextMetadata } from "../../store/pending-call-context.ts";
import { isLoopback, parseAddress } from "../shared/parse-address.ts";
import { openBrowser } from "./open-browser.ts";
import { getPageFolder } from "./page.ts";

/** The options of `toolweave studio`. */
export interface StudioOptions extends ToolOptions {
  readonly open?: boolean;
  readonly listen?: string;
  readonly publicUrl?: string;
  readonly tokenEnv?: string;
  readonly tokenCalls?: boolean;
  /** Files of recorded events. */
  readonly events?: readonly string[];
  /** The audit file. */
  readonly audit?: string;
  readonly lockFile?: string;
  readonly policy?: string;
  readonly store?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Events that are kept for a page that reconnects. */
const eventBacklog = 10_000;
/** Milliseconds that calls and requests get at the end. */
const graceMs = 2_000;
const minTokenLength = 32;

/** `toolweave studio`: a page with all tools, calls and approvals, until Ctrl-C. */
export async function studio(options: StudioOptions, io: CliIo, output: Output): Promise<number> {
  const address = resolveAddress(options);
  const token = readToken(options, io, output);
  const recordings = (options.events ?? []).map(toRecordingPath);
  const plan = await planSources(options, io, output);
  const loaded = await plan.load({ skipWaiting: true });
  const { registry, policy, hooks } = loaded;
  const store = await openStore(options.store, loaded.store, io.env);
  printStoreErrors(store, output);
  try {
    for (const source of loaded.sources) {
      source.ready.catch((error: unknown) =>
        output.printMessage(describeError(error, options.verbose === true)),
      );
    }
    await rejectOnInterrupt(registry.ready, io.signal);
    // All problems are listed from the start, as `inspect` lists them.
    await loaded.removeBrokenTools();
    const failed = registry.failedSources.length;
    if (failed > 0 && failed === loaded.sources.length) {
      throw new SourceFailure("There is nothing to show: no source of tools could be loaded.");
    }
    const { ConsoleSessions, bearerTokens, listenConsole, readPageFiles } =
      await import("@toolweave/console");
    const { timeout } = options;
    const executor = new ToolExecutor({
      registry,
      key: store.key.value,
      ...executorStores(store),
      audit: await openAudit(store, "studio", loaded.audit),
      hooks,
      eventPayloads: true,
      eventBacklog,
      ...(policy === undefined ? {} : { policy }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout, maxTimeoutMs: 0 }),
    });
    const sessions = new ConsoleSessions({ caller: { id: getUserName() } });
    const listener = await listenConsole({
      executor,
      stores: { pendingCalls: store.pendingCalls, memory: store.memory },
      sessions,
      ...(token === undefined ? {} : { authenticate: bearerTokens([token]) }),
      files: await readPageFiles(getPageFolder()),
      runs: { live: true, recordings: await toRecordings(recordings) },
      ...(await toAuditAndLock(options, plan, store, () => registry.toolset().entries())),
      owners: "all",
      callMetadata: () => toContextMetadata({ ...options, ...plan }, options.policy),
      ...address,
    });
    const getLink = (): string =>
      `${options.publicUrl ?? listener.url}/#code=${sessions.createCode()}`;
    try {
      await announce(options, { url: listener.url, tools: registry.size, getLink }, io, output);
      await rejectOnInterrupt(new Promise<never>(() => {}), io.signal);
    } finally {
      await listener.close(graceMs);
      await executor.drain({ graceMs });
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

/** The listening console. */
interface StartedStudio {
  readonly url: string;
  readonly tools: number;
  /** Creates a link that can be used once. */
  getLink(): string;
}

async function announce(
  { open = false, json = false }: StudioOptions,
  { url, tools, getLink }: StartedStudio,
  io: CliIo,
  output: Output,
): Promise<void> {
  const link = getLink();
  if (json) {
    await output.write(`${safeJson(JSON.stringify({ url, link }))}\n`);
    return;
  }
  const isOpen = open && (await openBrowser(link));
  output.printMessage(
    isOpen
      ? `toolweave: Studio with ${formatCount(tools, "tool")} is open in the browser, at ${url}`
      : `toolweave: Studio with ${formatCount(tools, "tool")}. Open this link in a browser:\n\n  ${link}\n`,
  );
  if (open && !isOpen) output.printMessage("toolweave: No browser could be opened here.");
  if (!canPrompt(io)) return;
  output.printMessage("The link works once. Enter prints another one, and Ctrl-C ends Studio.");
  const lines = createInterface({ input: io.stdin });
  lines.on("line", () => output.printMessage(`\n  ${getLink()}\n`));
  io.signal.addEventListener("abort", () => lines.close(), { once: true });
}

function resolveAddress({
  listen = "127.0.0.1:0",
  publicUrl,
  tokenEnv,
}: StudioOptions): Pick<ListenConsoleOptions, "host" | "port" | "publicUrl"> {
  const { host, port } = parseAddress("--listen", listen);
  if (!isLoopback(host) && tokenEnv === undefined) {
    throw new UsageError(
      `${host} can be reached from other machines: also name the environment variable of a token with --token-env, and use a proxy with TLS.`,
    );
  }
  return { host, port, ...(publicUrl === undefined ? {} : { publicUrl }) };
}

function readToken(
  { tokenEnv, tokenCalls = false }: StudioOptions,
  { env }: CliIo,
  output: Output,
) {
  if (tokenEnv === undefined) {
    if (tokenCalls) throw new UsageError("--token-calls is for the token of --token-env.");
    return undefined;
  }
  const token = env[tokenEnv] ?? "";
  if (token.length < minTokenLength) {
    throw new UsageError(
      `The token in ${tokenEnv} must have ${minTokenLength} characters or more, such as those of \`openssl rand -hex 32\`.`,
    );
  }
  output.addSecrets(token);
  const scopes = tokenCalls ? (["read", "call"] as const) : (["read"] as const);
  return { token, caller: { id: getUserName(), agent: tokenEnv }, scopes };
}

function toRecordingPath(path: string): string {
  if (existsSync(path)) return resolve(path);
  throw new UsageError(
    `There is no file ${path}: \`toolweave serve --events ${shellLine([path])}\` records one.`,
  );
}

async function toRecordings(paths: readonly string[]) {
  if (paths.length === 0) return [];
  const { readEvents } = await import("@toolweave/stores");
  return paths.map((path) => ({
    name: basename(path),
    read: (options: Parameters<typeof readEvents>[1]) => readEvents(path, options),
  }));
}

async function toAuditAndLock(
  { audit, lockFile }: StudioOptions,
  plan: SourcePlan,
  store: CommandStore,
  getEntries: () => Iterable<LockableTool>,
): Promise<Pick<ListenConsoleOptions, "audit" | "lock">> {
  const path = resolveLockPath(lockFile, plan);
  const lock = {
    file: toDisplayedPath(path),
    async difference() {
      const { lockDifference } = await import("@toolweave/config");
      return lockDifference(await readLockFile(path), getEntries());
    },
  };
  const attached = existsSync(path) ? { lock } : {};
  if (audit === undefined) {
    return { ...attached, audit: store.audit };
  }
  const { readAudit } = await import("@toolweave/stores");
  return { ...attached, audit: { read: (options) => readAudit(audit, options) } };
}

/** A path below the working folder as a person writes it there; another one as it is. */
function toDisplayedPath(path: string): string {
  const inside = relative("", path);
  return /^\.\.(?:[\\/]|$)/.test(inside) ? path : inside;
}
