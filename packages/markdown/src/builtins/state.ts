import type { JsonValue } from "@toolweave/core";
import type { HostValue } from "@toolweave/starlark";
import type { BuiltinFunction, LogLevel } from "./builtin.ts";
import {
  effectFunctions,
  optional,
  required,
  runningKinds,
  type FunctionDefinition,
} from "./define.ts";
import { toJsonValue } from "./to-json.ts";

function log(level: LogLevel): FunctionDefinition {
  return {
    doc: `Writes a line to the log of the host, with the level ${level}.`,
    parameters: [required("message", "any")],
    returns: "None",
    kinds: runningKinds,
    call: ({ message }, scope) => {
      const text = typeof message === "string" ? message : JSON.stringify(toJsonValue(message));
      scope.log(level, text);
      return null;
    },
  };
}

const logs = effectFunctions("log", {
  log: log("info"),
  debug: log("debug"),
  info: log("info"),
  warn: log("warn"),
  error: log("error"),
});

const cache = effectFunctions("cache", {
  get: {
    doc: "A value that a script of the same run has stored; the default if there is none.",
    parameters: [required("key", "str"), optional("default", "any", null)],
    returns: "any",
    kinds: runningKinds,
    call: ({ key, default: fallback }, scope) => {
      const value = scope.cache.get(key as string);
      return value === undefined ? fallback : (value as HostValue);
    },
  },
  set: {
    doc: "Stores a value for the scripts of the same run.",
    parameters: [required("key", "str"), required("value", "any")],
    returns: "None",
    kinds: runningKinds,
    call: ({ key, value }, scope) => {
      scope.cache.set(key as string, toJsonValue(value, "value"));
      return null;
    },
  },
  delete: {
    doc: "Removes a stored value. Returns whether there was one.",
    parameters: [required("key", "str")],
    returns: "bool",
    kinds: runningKinds,
    call: ({ key }, scope) => scope.cache.delete(key as string),
  },
});

const env = effectFunctions("env", {
  get: {
    doc: "An environment variable that the host lets scripts read; the default for any other.",
    parameters: [required("name", "str"), optional("default", "str", null)],
    returns: "any",
    kinds: runningKinds,
    call: ({ name, default: fallback }, scope) =>
      Object.hasOwn(scope.env, name as string) ? scope.env[name as string] : fallback,
  },
});

const time = effectFunctions("time", {
  now: {
    doc: "The time in milliseconds since 1970.",
    returns: "int",
    kinds: runningKinds,
    call: (_, scope) => Math.floor(scope.now()),
  },
  iso: {
    doc: "The time as text, such as 2026-01-31T12:00:00.000Z.",
    returns: "str",
    kinds: runningKinds,
    call: (_, scope) => new Date(scope.now()).toISOString(),
  },
});

const random = effectFunctions("random", {
  int: {
    doc: "A random int from low to high; both are included.",
    parameters: [required("low", "int"), required("high", "int")],
    returns: "int",
    call: ({ low, high }, scope) =>
      Number(low) + Math.floor(scope.random() * (Number(high) - Number(low) + 1)),
  },
  float: {
    doc: "A random float from 0 to below 1.",
    returns: "float",
    call: (_, scope) => scope.random(),
  },
});

const uuid = effectFunctions("uuid", {
  v4: {
    doc: "A random UUID.",
    returns: "str",
    call: () => crypto.randomUUID(),
  },
});

/** The functions whose result depends on the host: logs, the cache of the run, variables, time and chance. */
export const state: readonly BuiltinFunction[] = [
  ...logs,
  ...cache,
  ...env,
  ...time,
  ...random,
  ...uuid,
];

/** The number of values that a cache holds, and the characters of each as JSON. */
const maxCacheEntries = 1000;
const maxCacheLength = 262_144;

/** A cache with bounds: what is stored beyond them fails. */
export class RunCache extends Map<string, JsonValue> {
  /** @throws RangeError for a value that is too long, or one too many. */
  override set(key: string, value: JsonValue): this {
    if (!this.has(key) && this.size >= maxCacheEntries)
      throw new RangeError(`cache.set: there are ${maxCacheEntries} values already`);
    if (JSON.stringify(value).length > maxCacheLength)
      throw new RangeError(`cache.set: the value is longer than ${maxCacheLength} characters`);
    return super.set(key, value);
  }
}

/** Runs whose values are kept. */
const maxRuns = 200;

/** The values that scripts of a run share. Those of the oldest run are dropped first. */
export function runCaches(): (runId: string) => Map<string, JsonValue> {
  const caches = new Map<string, RunCache>();
  return (runId) => {
    const cache = caches.get(runId) ?? new RunCache();
    caches.delete(runId);
    caches.set(runId, cache);
    const [oldest] = caches.keys();
    if (caches.size > maxRuns && oldest !== undefined) caches.delete(oldest);
    return cache;
  };
}
