import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError } from "@toolweave/core";
import type { AgentOptions } from "@toolweave/subagent";

/** A language model of the AI SDK, of the current specification. */
export type AgentModel = AgentOptions["model"];

/** A model of a provider package of the AI SDK. */
export interface PackageModel {
  /** The package: `@ai-sdk/openai`. */
  readonly provider: string;
  /** The provider's id of the model: `gpt-5`. */
  readonly modelId: string;
  /** The settings of the package's factory: `apiKey`, `baseURL`, … */
  readonly settings: Readonly<Record<string, string | boolean>>;
}

/**
 * The model, of which nothing is there until it is asked for the first time: its package is imported then.
 *
 * @param folder whose packages are meant.
 */
export function packageModel(of: PackageModel, folder: string): AgentModel {
  let loading: Promise<AgentModel> | undefined;
  const model = async (): Promise<AgentModel> => {
    loading ??= load(of, folder);
    try {
      return await loading;
    } catch (error) {
      // It may be installed meanwhile.
      loading = undefined;
      throw error;
    }
  };
  return {
    specificationVersion: "v4",
    provider: of.provider,
    modelId: of.modelId,
    supportedUrls: {},
    doGenerate: async (options) => {
      const loaded = await model();
      return asked(() => loaded.doGenerate(options));
    },
    doStream: async (options) => {
      const loaded = await model();
      return asked(() => loaded.doStream(options));
    },
  };
}

async function load(
  { provider, modelId, settings }: PackageModel,
  folder: string,
): Promise<AgentModel> {
  const exported = await imported(provider, folder);
  // All packages for the AI SDK have one, under one name or several.
  const factories = new Set(
    Object.entries(exported).flatMap(([name, value]) =>
      /^create[A-Z]/.test(name) && typeof value === "function" ? [value as Factory] : [],
    ),
  );
  const [factory] = factories;
  if (factory === undefined || factories.size > 1) throw unusable(provider);
  let model: Partial<AgentModel> | undefined;
  try {
    model = factory(settings)?.languageModel?.(modelId);
  } catch (cause) {
    throw setting(cause) ?? unusable(provider, cause);
  }
  if (typeof model?.doStream !== "function") throw unusable(provider);
  if (model.specificationVersion !== "v4") {
    throw refused(
      `${provider} is of another generation than this: its models have the specification ${String(model.specificationVersion)}, and v4 is needed. Install its newest version: npm install ${provider}@latest`,
    );
  }
  return model as AgentModel;
}

type Factory = (settings: object) => { languageModel?(id: string): AgentModel } | undefined;

async function imported(provider: string, folder: string): Promise<object> {
  let file: string | undefined;
  try {
    file = createRequire(join(folder, "toolweave.json")).resolve(provider);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "MODULE_NOT_FOUND") throw unusable(provider, cause);
  }
  // Built-in modules of Node have a name without a path.
  if (file === undefined || !isAbsolute(file)) {
    throw refused(
      `The package ${provider} is not installed where the configuration is: run \`npm install ${provider}\` there.`,
    );
  }
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (cause) {
    throw unusable(provider, cause);
  }
}

/** Passes on the package's own error text: about a missing setting, such as the key. */
async function asked<T>(ask: () => PromiseLike<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw setting(error) ?? error;
  }
}

function setting(cause: unknown): ToolError | undefined {
  const { name, message } = (cause ?? {}) as Partial<Error>;
  if (name !== "AI_LoadAPIKeyError" && name !== "AI_LoadSettingError") return undefined;
  return refused(String(message), cause);
}

function unusable(provider: string, cause?: unknown): ToolError {
  return refused(
    `${provider} could not be used as a package of models: it has to be a provider package of the AI SDK, such as @ai-sdk/openai, in its newest version.`,
    cause,
  );
}

function refused(message: string, cause?: unknown): ToolError {
  return new ToolError("unavailable", message, { cause, retryable: false });
}
