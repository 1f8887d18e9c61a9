import { resolve } from "node:path";
import type { JsonObject, JsonValue, ToolSource } from "@toolweave/core";
import type { ConfigReader } from "../reading/config-reader.ts";
import { moduleSources } from "./module-source.ts";

/** A module of `tools`. */
export interface ConfiguredModule {
  /** The path as it is written. */
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
}

/** The modules of a valid configuration; those that refer to variables which are not set are left out. */
export function configuredModules(
  config: JsonObject,
  folder: string,
  reader: ConfigReader,
): ConfiguredModule[] {
  const written = (config["tools"] ?? []) as readonly JsonValue[];
  return written.flatMap((name, index) => {
    // An object is a tool with a script.
    if (typeof name !== "string") return [];
    const pointer = `/tools/${index}`;
    const path = reader.inSource(pointer, name, () => reader.resolved(name, pointer));
    return reader.incomplete.has(pointer) ? [] : [{ name, path: resolve(folder, path) }];
  });
}

/** A source that a module has made. */
export interface LoadedModule {
  readonly kind: "module";
  readonly name: string;
  readonly source: ToolSource;
}

/** Runs the code of the modules; one that fails is a source that fails. */
export async function loadModules(
  modules: readonly ConfiguredModule[],
  watch: boolean,
): Promise<LoadedModule[]> {
  const loaded = await Promise.all(
    modules.map(async ({ name, path }) => {
      const sources = await moduleSources(path, { id: name, watch });
      return sources.map((source): LoadedModule => ({ kind: "module", name, source }));
    }),
  );
  return loaded.flat();
}
