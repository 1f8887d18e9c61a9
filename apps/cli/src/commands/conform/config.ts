import { dirname, resolve } from "node:path";
import type { Manifest, SampleCalls } from "@toolweave/conformance";
import { ajvValidator, type JsonObject, type JsonValue } from "@toolweave/core";
import type { ApiOptions } from "../../input/api-options.ts";
import { readJsonFile } from "../../input/json-option.ts";
import { resolveSecretValue } from "../../input/auth-option.ts";
import { UsageError } from "../../process/exit-code.ts";
import { subjectSchema, subjectsSchema } from "./config-schema.ts";
import { moduleSubjects } from "./module.ts";
import { openApiSubject, mcpSubject, noSamples, type ConformSubject } from "./servers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The entry of one subject in the file. */
interface ConfiguredSubject {
  readonly name: string;
  readonly module?: string;
  readonly openapi?: string;
  readonly mcp?: ConfiguredServer;
  readonly options?: Omit<ApiOptions, "openapi">;
  readonly samples?: SampleCalls;
  readonly generatedCalls?: "all" | readonly string[];
  readonly secrets?: readonly string[];
  readonly without?: NonNullable<Manifest["without"]>;
  readonly knownFailing?: Readonly<Record<string, string>>;
  readonly injected?: Readonly<Record<string, unknown>>;
}

/**
 * The subjects of a file for `--config`. Paths in it are beside the file.
 *
 * @throws UsageError with the place of what is wrong; Interrupt
 */
export async function configSubjects(
  path: string,
  env: Environment,
  signal: AbortSignal,
): Promise<readonly ConformSubject[]> {
  const where = `--config ${path}`;
  const json = await readJsonFile("--config", path, where);
  const subjects: ConformSubject[] = [];
  for (const { place, config } of await validateSubjects(json, where)) {
    const at = (field: string): string => `${where}: ${place}/${field}`;
    const subject = await baseSubject(config, dirname(path), at, env, signal);
    subjects.push(withDeclarations(subject, config, at, env));
  }
  return subjects;
}

/** The file's subjects, each with its JSON pointer. */
async function validateSubjects(
  json: JsonValue,
  where: string,
): Promise<{ readonly place: string; readonly config: ConfiguredSubject }[]> {
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  if (!isObject) {
    throw new UsageError(`${where} must be one JSON object: a subject, or { "subjects": [...] }.`);
  }
  const isList = "subjects" in json;
  const check = await ajvValidator().compile(isList ? subjectsSchema : subjectSchema);
  const [problem, ...others] = check(json) ?? [];
  if (problem !== undefined) {
    const more = others.map(({ path, message }) => `\n  ${path === "" ? "it" : path} ${message}`);
    const at = problem.path === "" ? "it" : problem.path;
    throw new UsageError(`${where}: ${at} ${problem.message}${more.join("")}`);
  }
  const subjects = (isList ? (json as JsonObject)["subjects"] : [json]) as JsonValue as unknown;
  return (subjects as readonly ConfiguredSubject[]).map((config, index) => ({
    place: isList ? `/subjects/${index}` : "",
    config,
  }));
}

async function baseSubject(
  { name, module, openapi, mcp, options }: ConfiguredSubject,
  folder: string,
  at: (field: string) => string,
  env: Environment,
  signal: AbortSignal,
): Promise<ConformSubject> {
  const targets = [module, openapi, mcp].filter((one) => one !== undefined);
  if (targets.length !== 1) {
    throw new UsageError(`${at("name")}: ${name} must have one of module, openapi and mcp.`);
  }
  if (options !== undefined && openapi === undefined) {
    throw new UsageError(`${at("options")} are for openapi only.`);
  }
  if (mcp !== undefined) return configuredServer(name, mcp, folder, at, env);
  if (openapi !== undefined) {
    const resolvePath = (place: string): string =>
      /^(?:https?|file):/i.test(place) ? place : resolve(folder, place);
    const { allowReference, ...others } = options ?? {};
    const references =
      allowReference === undefined ? {} : { allowReference: allowReference.map(resolvePath) };
    return openApiSubject(resolvePath(openapi), { ...others, ...references }, env);
  }
  const path = resolve(folder, module ?? "");
  const [subject, ...others] = await moduleSubjects(path, `${at("module")}: `, signal);
  if (subject === undefined || others.length > 0) {
    throw new UsageError(`${at("module")} exports several manifests: test it by itself.`);
  }
  return subject;
}

/** Applies the declarations of the file over those of a module's manifest. */
function withDeclarations(
  subject: ConformSubject,
  config: ConfiguredSubject,
  at: (field: string) => string,
  env: Environment,
): ConformSubject {
  const { name, samples, generatedCalls, knownFailing, injected } = config;
  if (typeof generatedCalls === "string" && generatedCalls !== "all") {
    throw new UsageError(`${at("generatedCalls")} must be "all" or a list of tools.`);
  }
  const secrets = config.secrets?.map((variable) =>
    resolveSecretValue(`$${variable}`, env, at("secrets")),
  );
  const { without: before, ...manifest } = subject.manifest;
  const reason = mergeReasons(before, config);
  return {
    ...subject,
    manifest: {
      ...manifest,
      name,
      ...(samples === undefined ? {} : { samples }),
      ...(generatedCalls === undefined ? {} : { generatedCalls }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(reason === undefined ? {} : { without: reason }),
      ...(knownFailing === undefined ? {} : { knownFailing }),
      ...(injected === undefined ? {} : { injected }),
    },
    secrets: [...subject.secrets, ...(secrets ?? [])],
  };
}

/** Declarations that only a program can make. */
const programOnly = {
  effectCalls: "Counting effects needs a program: export a manifest.",
  suspendingCalls: "The answers of a person need a program: export a manifest.",
  state: "Reading the state needs a program: export a manifest.",
  change: "Changing the tools needs a program: export a manifest.",
  outage: "An outage needs a program: export a manifest.",
} satisfies Manifest["without"];

/** Merges the reasons for everything that is not declared. */
function mergeReasons(
  before: Manifest["without"],
  { without, samples = {}, generatedCalls, secrets }: ConfiguredSubject,
): Manifest["without"] {
  if (typeof without === "string") return without;
  const declared = [
    ...Object.keys(samples),
    ...(generatedCalls === undefined ? [] : ["generatedCalls"]),
    ...(secrets === undefined ? [] : ["secrets"]),
  ];
  const declaresNothing = without === undefined && declared.length === 0;
  if (declaresNothing || (typeof before === "string" && before !== noSamples)) {
    return without ?? before;
  }
  const known = typeof before === "string" ? programOnly : before;
  const undeclared = Object.entries(known ?? {}).filter(([kind]) => !declared.includes(kind));
  return { ...Object.fromEntries(undeclared), ...without };
}

/** The MCP server of a configuration file. */
interface ConfiguredServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly prefix?: string;
  readonly trustAnnotations?: boolean;
  readonly timeout?: number;
}

/**
 * Creates the subject for the MCP server of a file for `--config`.
 *
 * @param at the place of a field, for errors.
 * @throws UsageError
 */
function configuredServer(
  name: string,
  mcp: ConfiguredServer,
  folder: string,
  at: (field: string) => string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConformSubject> {
  const { command, args, cwd, url, prefix, trustAnnotations, timeout } = mcp;
  const base = {
    name: "mcp",
    prefix: prefix ?? (false as const),
    ...(trustAnnotations === undefined ? {} : { trustAnnotations }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
  const secrets: string[] = [];
  const values = (written: Readonly<Record<string, string>>, field: string): typeof written =>
    Object.fromEntries(
      Object.entries(written).map(([key, value]) => {
        const read = resolveSecretValue(value, env, at(`mcp/${field}/${key}`));
        if (read !== value) secrets.push(read);
        return [key, read];
      }),
    );
  if (url !== undefined && command === undefined) {
    if (args !== undefined || mcp.env !== undefined || cwd !== undefined) {
      throw new UsageError(`${at("mcp")}: args, env and cwd go with command, not with url.`);
    }
    const headers = values(mcp.headers ?? {}, "headers");
    return mcpSubject(name, { ...base, url, headers }, [...secrets, ...Object.values(headers)]);
  }
  if (command === undefined || url !== undefined) {
    throw new UsageError(`${at("mcp")} must have either command or url.`);
  }
  if (mcp.headers !== undefined) {
    throw new UsageError(`${at("mcp")}: headers go with url, not with command.`);
  }
  const started = {
    command,
    args: args ?? [],
    env: values(mcp.env ?? {}, "env"),
    cwd: resolve(folder, cwd ?? ""),
  };
  return mcpSubject(name, { ...base, ...started }, secrets);
}
