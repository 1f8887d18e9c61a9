import type { ConformanceReport, RuleResult } from "@toolweave/conformance";
import { ToolError } from "@toolweave/core";
import type { ApiOptions } from "../../input/api-options.ts";
import { maskLocation, separateSecrets } from "../../input/secret-options.ts";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { showProgress, showSteps } from "../../render/progress.ts";
import { safeLine, safeValue, shellLine } from "../../render/text.ts";
import { checkDestinations, writeReports, type ReportDestinations } from "./report-files.ts";
import type { ConformSubject } from "./servers.ts";
import { setImmediate } from "node:timers/promises";

/** The options of `toolweave conform`. */
export interface ConformOptions extends Omit<ApiOptions, "openapi">, ReportDestinations {
  readonly openapi?: readonly string[];
  readonly mcp?: string;
  readonly config?: string;
  readonly only?: readonly string[];
  readonly seed?: number;
  readonly deadline?: number;
}

/** `toolweave conform`: checks the contract's rules against tools, and reports. */
export async function conform(
  module: string | undefined,
  options: ConformOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  await checkDestinations(options);
  const escaped = new EscapedErrors();
  let code: number;
  let escapees: readonly unknown[] = [];
  try {
    code = await checkSubjects(module, options, io, output);
  } finally {
    escapees = await escaped.end();
    for (const error of escapees)
      output.printMessage(escapedErrorText(error, options.verbose === true));
  }
  return escapees.length > 0 && code === exitCode.completed ? exitCode.notConformant : code;
}

async function checkSubjects(
  module: string | undefined,
  options: ConformOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const subjects = await loadSubjects(module, options, io);
  for (const { secrets } of subjects) output.addSecrets(...secrets);
  if (subjects.length > 1 && (options.badge ?? options.summary) !== undefined) {
    throw new UsageError("--badge and --summary are of one subject, and there are several.");
  }
  const failures = await findUnreachable(subjects, io);
  if (failures.length > 0) {
    for (const failure of failures)
      output.printMessage(describeError(failure, options.verbose === true));
    return exitCode.sourceFailed;
  }
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const reports: ConformanceReport[] = [];
  for (const subject of subjects) {
    const report = await checkSubject(subject, { ...options, seed }, io);
    reports.push(redactReport(report, subject.secrets));
  }
  const replay = ({ id }: RuleResult): string =>
    replayCommand(module, options, ["--seed", String(seed), "--only", id]);
  await writeReports(reports, options, replay, io, output);
  return reports.every(({ ok }) => ok) ? exitCode.completed : exitCode.notConformant;
}

/** An error that no rule was asked about: whatever lets it escape would end a host's process. */
function escapedErrorText(error: unknown, verbose: boolean): string {
  const text = describeError(error, verbose).replace(/^toolweave: /, "");
  return `toolweave: An unhandled error escaped, which would end a process: ${text}`;
}

async function loadSubjects(
  module: string | undefined,
  options: ConformOptions,
  io: CliIo,
): Promise<readonly ConformSubject[]> {
  const { openapi, mcp, config, baseUrl, header, auth, timeout } = options;
  const { allowOrigin, allowReference } = options;
  const inputs = [module, openapi, mcp, config].filter((one) => one !== undefined);
  if (inputs.length !== 1) {
    const what = "a module, --openapi, --mcp or --config";
    throw new UsageError(
      inputs.length === 0 ? `Name the subject to test: ${what}.` : `Use only one of ${what}.`,
    );
  }
  const api = { baseUrl, header, auth, allowOrigin, allowReference };
  const hasApiOption = Object.values(api).some((one) => one !== undefined);
  if (openapi === undefined && (hasApiOption || timeout !== undefined)) {
    throw new UsageError(
      "--base-url, --header, --auth, --allow-origin, --allow-reference and --timeout go with --openapi.",
    );
  }
  const { signal, env } = io;
  if (module !== undefined) {
    const { moduleSubjects } = await import("./module.ts");
    return moduleSubjects(module, "", signal);
  }
  if (config !== undefined) {
    const { configSubjects } = await import("./config.ts");
    return configSubjects(config, env, signal);
  }
  const { openApiSubject, commandLineMcpSubject: writtenMcpSubject } = await import("./servers.ts");
  if (mcp !== undefined) return [await writtenMcpSubject(mcp)];
  const { toSourceOptions: sourceOptions } = await import("../../input/api-options.ts");
  // Credentials for one API do not go to another.
  void sourceOptions({ ...options, openapi: openapi ?? [] }, env);
  return Promise.all((openapi ?? []).map((location) => openApiSubject(location, options, env)));
}

/** Returns why documents and servers cannot be reached: that is reported before any rule is checked. */
async function findUnreachable(subjects: readonly ConformSubject[], io: CliIo): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const { manifest, isRemote } of subjects) {
    if (!isRemote) continue;
    const source = await manifest.create();
    if (!("ready" in source)) continue;
    const done = showProgress(io, `Loading ${safeValue(manifest.name)} …`);
    try {
      await rejectOnInterrupt(source.ready, io.signal);
    } catch (error) {
      if (error instanceof Interrupt) throw error;
      failures.push(error);
    } finally {
      done();
      await source.close();
    }
  }
  return failures;
}

async function checkSubject(
  { manifest }: ConformSubject,
  { seed, only, deadline }: ConformOptions & { readonly seed: number },
  io: CliIo,
): Promise<ConformanceReport> {
  const { runConformance } = await import("@toolweave/conformance");
  const steps = showSteps(io);
  const name = safeValue(manifest.name);
  try {
    return await runConformance(manifest, {
      seed,
      signal: io.signal,
      ...(only === undefined ? {} : { only }),
      ...(deadline === undefined ? {} : { deadlineMs: deadline }),
      onResult: ({ id }, { done, of }) =>
        steps.update(`Checking ${name}: ${done} of ${of} (${id}) …`),
    });
  } catch (error) {
    if (io.signal.aborted) throw new Interrupt();
    if (ToolError.is(error)) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    steps.end();
  }
}

/** Redacts the secrets in a report, wherever a tool's text has them. */
function redactReport(report: ConformanceReport, secrets: readonly string[]): ConformanceReport {
  const hidden = secrets.filter((secret) => secret.length > 3);
  const clean = (text: string): string =>
    hidden.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  const cleanRule = (rule: RuleResult): RuleResult => ({
    ...rule,
    message: clean(rule.message),
    ...(rule.done === undefined ? {} : { done: clean(rule.done) }),
    ...(rule.seen === undefined ? {} : { seen: clean(rule.seen) }),
  });
  return { ...report, subject: clean(report.subject), rules: report.rules.map(cleanRule) };
}

/**
 * The command line that tests the same again, for a POSIX shell. A secret has an environment variable
 * in its place.
 */
function replayCommand(
  module: string | undefined,
  options: ConformOptions,
  more: readonly string[],
): string {
  const { openapi = [], mcp, config, baseUrl, timeout, deadline } = options;
  const { allowOrigin = [], allowReference = [] } = options;
  const repeated = (name: string, values: readonly string[]): string[] =>
    values.flatMap((value) => [name, value]);
  const secret = (name: "--auth" | "--header", values: readonly string[] = []): string[] => {
    const { stored, withheld } = separateSecrets(name, values);
    return [...repeated(name, stored), ...withheld.flat()];
  };
  const words = [
    ...(module === undefined ? [] : [module]),
    ...repeated("--openapi", openapi.map(maskLocation)),
    ...(mcp === undefined ? [] : ["--mcp", maskLocation(mcp)]),
    ...(config === undefined ? [] : ["--config", config]),
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
    ...secret("--header", options.header),
    ...secret("--auth", options.auth),
    ...repeated("--allow-origin", allowOrigin),
    ...repeated("--allow-reference", allowReference),
    ...(timeout === undefined ? [] : ["--timeout", String(timeout)]),
    ...(deadline === undefined ? [] : ["--deadline", String(deadline)]),
    ...more,
  ];
  return shellLine(["toolweave", "conform", ...words.map(safeLine)]);
}

const maxErrors = 20;

/**
 * Keeps errors that escape from foreign code, unhandled rejections and errors that cannot be
 * caught, from ending the process while it is tested.
 */
class EscapedErrors {
  readonly #errors: unknown[] = [];
  readonly #record = (error: unknown): void => {
    if (this.#errors.length < maxErrors) this.#errors.push(error);
  };

  constructor() {
    process.on("unhandledRejection", this.#record);
    process.on("uncaughtException", this.#record);
  }

  /** Stops recording. Resolves with the first of each message. */
  async end(): Promise<readonly unknown[]> {
    // A rejection is reported after the turn in which it was not handled.
    await setImmediate();
    process.off("unhandledRejection", this.#record);
    process.off("uncaughtException", this.#record);
    const byMessage = new Map<string, unknown>();
    for (const error of this.#errors) {
      const message = String(error);
      if (!byMessage.has(message)) byMessage.set(message, error);
    }
    return [...byMessage.values()];
  }
}
