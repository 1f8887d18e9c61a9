import { resolve } from "node:path";
import {
  ToolError,
  type Hook,
  type JsonObject,
  type JsonValue,
  type ToolSource,
} from "@toolweave/core";
import type { MarkdownSource, MarkdownSourceOptions } from "@toolweave/markdown";
import type { ConfigReader } from "../reading/config-reader.ts";

/** The markdown files of a configuration, and its own lists of tools and hooks. */
export interface ConfiguredMarkdown {
  /** The absolute path of the project. */
  readonly folder: string;
  readonly options: MarkdownSourceOptions;
}

/** The parts of a valid configuration that scripts share with other tools. */
interface SharedOptions {
  readonly workspace: MarkdownSourceOptions["workspace"];
  readonly web: JsonObject | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The `markdown`, the scripts in `tools`, and the `hooks` of a valid configuration; undefined: there are none. */
export function configuredMarkdown(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
  shared: SharedOptions,
): ConfiguredMarkdown | undefined {
  const { markdown: written, hooks } = config;
  const tools = ((config["tools"] ?? []) as readonly JsonValue[]).filter(
    (tool) => typeof tool !== "string",
  );
  if ((written === undefined || written === false) && tools.length === 0 && hooks === undefined)
    return undefined;
  const isOn = written !== undefined && written !== false;
  const options = (
    isOn && written !== true ? reader.resolved(written as JsonValue, "/markdown") : {}
  ) as { readonly folder?: string; readonly env?: readonly string[]; readonly limits?: JsonObject };
  const env = Object.fromEntries(
    (options.env ?? []).flatMap((name) => {
      const value = shared.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const { workspace, web } = shared;
  return {
    folder: resolve(folder, options.folder ?? "."),
    options: {
      files: isOn,
      env,
      inline: { tools, hooks: (hooks ?? []) as JsonValue },
      ...(options.limits === undefined ? {} : { limits: toLimits(options.limits) }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(web === undefined ? {} : { web }),
    },
  };
}

function toLimits({ steps, memory_mb: megabytes, effects }: JsonObject): {
  readonly steps?: number;
  readonly memoryBytes?: number;
  readonly effects?: number;
} {
  return {
    ...(steps === undefined ? {} : { steps: steps as number }),
    ...(megabytes === undefined ? {} : { memoryBytes: (megabytes as number) * 1024 * 1024 }),
    ...(effects === undefined ? {} : { effects: effects as number }),
  };
}

/** The tools of markdown files, and their hooks. */
export interface MadeMarkdown {
  readonly source: ToolSource;
  readonly hook: Hook;
}

/**
 * Makes the source. The code is loaded on demand: most configurations have none. An option that it rejects is reported with
 * its place in the file.
 */
export async function makeMarkdown(
  markdown: ConfiguredMarkdown | undefined,
  watch: boolean,
  reader: ConfigReader,
): Promise<MadeMarkdown | undefined> {
  if (markdown === undefined) return undefined;
  const { markdownSource } = await import("@toolweave/markdown");
  try {
    const source: MarkdownSource = markdownSource(markdown.folder, { ...markdown.options, watch });
    return { source, hook: source.hook };
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    reader.fault("/markdown", error.message);
    reader.refuse(error);
    throw error;
  }
}

/**
 * The folders of skills of a valid configuration.
 *
 * @param folder to which they are relative.
 */
export function configuredSkills(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
): readonly string[] {
  return ((config["skills"] ?? []) as readonly string[]).map((path, index) =>
    resolve(folder, reader.resolved(path, `/skills/${index}`) as string),
  );
}

/** Makes the source of skills; undefined: there are none. */
export async function makeSkills(
  folders: readonly string[],
  markdown: ConfiguredMarkdown | undefined,
): Promise<ToolSource | undefined> {
  if (folders.length === 0) return undefined;
  const { skillsSource } = await import("@toolweave/markdown");
  const { workspace = false, web, env = {} } = markdown?.options ?? {};
  return skillsSource(folders, {
    id: "skills",
    scripts: { workspace, env, ...(web === undefined ? {} : { web }) },
  });
}
