import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ConfigDescription, ConfiguredSource, LoadedConfig } from "@toolweave/config";
import { ToolError } from "@toolweave/core";
import { configFile } from "../../input/tool-options.ts";
import { nodeProblem } from "../../process/node-version.ts";
import { rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";
import { formatCount, shellLine } from "../../render/text.ts";
import { describeConfigFile, resolveConfigPath } from "../../sources/config-trust.ts";
import { defaultPlace, toDataPlace, toStorePlace } from "../../store/store-place.ts";
import { TrustedConfigs } from "../../store/trusted-configs.ts";
import { findProgram } from "../shared/find-program.ts";
import { attempt, type Check } from "./check.ts";
import { checkDatabase, checkFile, checkStores } from "./store-checks.ts";

/** Runs all checks, one after the other. */
export async function* runChecks(
  config: string | undefined,
  io: CliIo,
  output: Output,
): AsyncGenerator<Check> {
  yield checkNode();
  yield* checkStores(io, output);
  yield* checkSandboxes();
  const path = resolveConfigPath(config ?? configFile);
  if (!existsSync(path)) {
    yield {
      name: "configuration",
      status: config === undefined ? "warn" : "fail",
      detail: `${path} does not exist`,
      remedy:
        "`toolweave init` writes a toolweave.json into this folder; --config names another file.",
    };
    return;
  }
  yield checkClock(path);
  const description = await attempt(() => describeConfigFile(path));
  if (description instanceof Error) {
    yield { name: "configuration", status: "fail", detail: description.message };
    return;
  }
  const trust = config === undefined ? await checkTrust(description, io) : undefined;
  if (trust !== undefined) yield trust;
  if (trust?.status === "fail") {
    yield* checkVariables(description, io, undefined);
    yield {
      name: "sources",
      status: "warn",
      detail: "not loaded, since the configuration is not trusted",
    };
    return;
  }
  const { loadConfig } = await import("@toolweave/config");
  const store = toDataPlace(await defaultPlace(io.env));
  const loaded = await attempt(() => loadConfig(path, { env: io.env, store, onProblem: () => {} }));
  const faults =
    loaded instanceof Error
      ? loaded.message.split("\n")
      : loaded.sources.flatMap((one) => (one.kind === "incomplete" ? one.problems : []));
  yield* checkVariables(description, io, faults);
  for (const detail of faults.filter(
    (fault) => !/the environment variable \w+ is not set/.test(fault),
  )) {
    yield { name: "configuration", status: "fail", detail };
  }
  if (loaded instanceof Error) {
    yield {
      name: "sources",
      status: "warn",
      detail: "not loaded, since the configuration has faults",
    };
    return;
  }
  yield { name: "configuration", status: "ok", detail: path };
  const own = loaded.store === undefined ? undefined : toStorePlace(loaded.store);
  if (own?.kind === "database") yield await checkDatabase(own.store, io, output);
  if (own?.kind === "file") yield checkFile(own.path);
  yield* checkSources(loaded, io, output);
}

function checkNode(): Check {
  const problem = nodeProblem(process.version);
  const { version } = process;
  if (problem === undefined) return { name: "Node.js", status: "ok", detail: version };
  return { name: "Node.js", status: "fail", detail: version, remedy: problem };
}

const maxClockLagMs = 5 * 60_000;

/** A clock that is behind makes tokens and certificates invalid: no file can be from the future. */
function checkClock(path: string): Check {
  const now = Date.now();
  const written = statSync(path).mtimeMs;
  if (written <= now + maxClockLagMs) {
    return { name: "clock", status: "ok", detail: new Date(now).toISOString() };
  }
  return {
    name: "clock",
    status: "fail",
    detail: `it is ${new Date(now).toISOString()}, and ${path} was written later`,
    remedy: "Set the clock of this machine: sign-ins, grants and certificates depend on it.",
  };
}

/** The isolation of commands in a workspace: escapes are tried on this machine. */
async function* checkSandboxes(): AsyncGenerator<Check> {
  const { examineSandboxes } = await import("@toolweave/workspace");
  for (const { level, holds, reason, prevented, open } of await examineSandboxes()) {
    const name = `sandbox ${level}`;
    const tried = `prevents ${prevented.join(", ")}`;
    const detail = open.length === 0 ? tried : `${tried}; not ${open.join(", ")}`;
    yield holds
      ? { name, status: "ok", detail }
      : {
          name,
          status: "warn",
          detail: reason ?? "it does not hold",
          remedy:
            'Commands of a workspace run in the next level that holds, or not at all with "sandbox": "required".',
        };
  }
}

async function checkTrust({ path, digest }: ConfigDescription, io: CliIo): Promise<Check> {
  const before = await attempt(() => new TrustedConfigs(io.env).get(path));
  const name = "trust";
  if (before instanceof Error) return { name, status: "fail", detail: before.message };
  if (before?.digest === digest) return { name, status: "ok", detail: `${path} is trusted` };
  const state = before === undefined ? "is not trusted" : "has changed since it was trusted";
  return {
    name,
    status: "fail",
    detail: `${path} ${state}`,
    remedy: "`toolweave trust` lists what it does, and asks.",
  };
}

/**
 * The variables of the configuration, by name.
 *
 * @param faults of the configuration; undefined: it is not loaded, and which variables have a default is unknown.
 */
function* checkVariables(
  { parts }: ConfigDescription,
  { env }: CliIo,
  faults: readonly string[] | undefined,
): Generator<Check> {
  // Only the first faults of a configuration are listed.
  const isPartial = faults?.some((fault) => fault.startsWith("…")) === true;
  for (const { name: variable, text } of parts.filter(({ kind }) => kind === "variable")) {
    const name = "variable";
    const isReported = faults?.some((fault) => fault.includes(`variable ${variable} is not set`));
    const isMissing = isReported === false && isPartial ? undefined : isReported;
    if (Object.hasOwn(env, variable) && isMissing !== true) {
      yield { name, status: "ok", detail: `${text} is set` };
    } else if (isMissing === false) {
      yield { name, status: "ok", detail: `${text} is not set, and has a default` };
    } else {
      yield {
        name,
        status: isMissing === true ? "fail" : "warn",
        detail: `${text} is not set`,
        remedy: `Set ${variable}, or write \${${variable}:-text} with a text for when it is not set.`,
      };
    }
  }
}

async function* checkSources(
  config: LoadedConfig,
  io: CliIo,
  output: Output,
): AsyncGenerator<Check> {
  try {
    output.addSecrets(...config.secrets);
    for (const detail of config.warnings) yield { name: "configuration", status: "warn", detail };
    for (const source of config.sources) {
      const program = checkProgram(source, io);
      if (program !== undefined) yield program;
    }
    await rejectOnInterrupt(config.registry.ready, io.signal);
    for (const source of config.sources) {
      // Its variables are reported already.
      if (source.kind !== "incomplete") yield await checkSource(source, config);
    }
  } finally {
    await config.close();
  }
}

/** The program of an MCP server; undefined: it has none. */
function checkProgram(source: ConfiguredSource, io: CliIo): Check | undefined {
  if (source.kind !== "mcp" || !("command" in source.server)) return undefined;
  const { command, cwd } = source.server;
  const name = `program of ${source.name}`;
  const found = findProgram(command, io.env, cwd === undefined ? "" : resolve(cwd));
  if (found !== undefined) return { name, status: "ok", detail: found };
  return {
    name,
    status: "fail",
    detail: `${command} cannot be started: it is missing, or not executable`,
    remedy: "Install it, or write its full path into the configuration.",
  };
}

async function checkSource(
  { kind, name: id, source }: ConfiguredSource,
  config: LoadedConfig,
): Promise<Check> {
  const name = `source ${id}`;
  const failure = await attempt(() => source.ready);
  if (!(failure instanceof Error)) {
    // Several sources may have one id.
    const own = source.tools().filter((tool) => config.registry.get(tool.spec.name) === tool);
    return { name, status: "ok", detail: `${kind}, ${formatCount(own.length, "tool")}` };
  }
  const isSignIn = ToolError.is(failure) && failure.code === "auth_required";
  return {
    name,
    status: "fail",
    detail: `${kind}: ${failure.message}`,
    ...(isSignIn ? { remedy: `Run: toolweave login ${shellLine([id])}` } : {}),
  };
}
