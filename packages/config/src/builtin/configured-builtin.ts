import { ToolError, type JsonObject, type JsonValue, type ToolSource } from "@toolweave/core";
import type { ScheduleStore } from "@toolweave/core/stores";
import type { BrowserOptions, WebOptions } from "@toolweave/builtin";
import type { ConfigReader } from "../reading/config-reader.ts";
import type { StorePlace } from "../store/configured-store.ts";
import { openBuiltinStores, type BuiltinStores } from "../store/stored-data.ts";

/** The built-in tools of a configuration, with their references resolved. */
export interface ConfiguredBuiltin {
  /** The options of each group, by its name. */
  readonly groups: Readonly<Record<string, JsonObject>>;
  /** Where they store data; undefined: nowhere. */
  readonly store: StorePlace | undefined;
  readonly secrets: readonly string[];
}

/** Groups that remember something from one process to the next. */
const storingGroups: readonly string[] = ["memory", "schedule"];

/**
 * The `builtin` of a valid configuration; undefined: there is none.
 *
 * @param store the folder or the database that the file names for stored data.
 */
export function configuredBuiltin(
  config: JsonObject,
  store: StorePlace | undefined,
  reader: ConfigReader,
): ConfiguredBuiltin | undefined {
  if (config["builtin"] === undefined) return undefined;
  const written = config["builtin"] as JsonObject;
  const groups: Record<string, JsonObject> = {};
  for (const [name, value] of Object.entries(written)) {
    if (value === false) continue;
    const pointer = `/builtin/${name}`;
    groups[name] =
      value === true ? {} : (reader.resolved(value as JsonValue, pointer) as JsonObject);
    if (storingGroups.includes(name) && store === undefined) {
      reader.fault(
        pointer,
        `${name} has to store something: name a folder or a database with "store", such as "store": ".toolweave"`,
      );
    }
  }
  const credentials = (groups["web"]?.["credentials"] ?? {}) as Readonly<
    Record<string, { readonly secret: string }>
  >;
  return {
    groups,
    store,
    secrets: Object.values(credentials).map(({ secret }) => secret),
  };
}

/** The sources of built-in tools, and the store of their schedules. */
export interface MadeBuiltin {
  readonly sources: readonly ToolSource[];
  /** Undefined: the configuration has no schedules. */
  readonly schedules?: ScheduleStore;
}

/**
 * Makes the sources. The code is loaded on demand: most configurations have none. An option that a group rejects is
 * reported with its place in the file.
 */
export async function makeBuiltin(
  builtin: ConfiguredBuiltin | undefined,
  reader: ConfigReader,
): Promise<MadeBuiltin> {
  if (builtin === undefined) return { sources: [] };
  const { browserTools, memoryTools, planTools, scheduleTools, webTools } =
    await import("@toolweave/builtin");
  const { groups, store: place } = builtin;
  const stored = storingGroups.some((name) => groups[name] !== undefined);
  const store = stored && place !== undefined ? await openBuiltinStores(place) : undefined;
  const makers: Readonly<Record<string, (options: JsonObject) => ToolSource>> = {
    web: (options) => webTools(options as WebOptions),
    browser: (options) => browserTools(options as BrowserOptions),
    memory: () => memoryTools(store === undefined ? {} : { store: store.memory }),
    schedule: (options) => scheduleTools({ ...options, store: (store as BuiltinStores).schedules }),
    plan: () => planTools(),
  };
  const sources: ToolSource[] = [];
  for (const [name, options] of Object.entries(groups)) {
    try {
      const source = makers[name]?.(options);
      if (source !== undefined) sources.push(source);
    } catch (error) {
      await Promise.all(sources.map((source) => source.close()));
      store?.close();
      if (!ToolError.is(error)) throw error;
      reader.fault(`/builtin/${name}`, error.message);
      reader.refuse(error);
    }
  }
  if (store === undefined) return { sources };
  // The store ends with the last of its sources.
  let open = storingGroups.filter((name) => groups[name] !== undefined).length;
  const owning = sources.map((source) =>
    storingGroups.includes(source.id)
      ? endingWith(source, () => {
          open -= 1;
          if (open === 0) store.close();
        })
      : source,
  );
  return {
    sources: owning,
    ...(groups["schedule"] === undefined ? {} : { schedules: store.schedules }),
  };
}

/** The source, with something to do after it was closed for the first time. */
function endingWith(source: ToolSource, end: () => void): ToolSource {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= source.close().then(end));
  return { ...source, close, [Symbol.asyncDispose]: close };
}
