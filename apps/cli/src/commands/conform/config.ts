import { dirname, resolve } from "node:path";
import type { Manifest, SampleCalls } from "@toolweave/conformance";
import { ajvValidator, type JsonObject, type JsonValue } from "@toolweave/core";
import type { ApiOptions } from "../../input/api-options.ts";
import { readJsonFile } from "../../input/json-option.ts";
import { resolveSecretValue } from "../../input/secret-value.ts";
import { UsageError } from "../../process/errors.ts";
import { subjectSchema, subjectsSchema } from "./config-schema.ts";
import { configuredServer, type ConfiguredServer } from "./configured-server.ts";
import { moduleSubjects } from "./module.ts";
import { openApiSubject } from "./servers.ts";
import { noSamples, type ConformSubject } from "./subject.ts";

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
