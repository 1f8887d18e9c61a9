import { metrics, type Attributes, type Histogram, type Meter } from "@opentelemetry/api";
import { checkOptions } from "../contract/check-options.ts";
import { ToolError } from "../contract/tool-error.ts";
import { isThenable } from "../json/json.ts";

/** Options of `measuredStore`. */
export interface MeasuredStoreOptions {
  /** Name of the store in the measurements, such as `tasks`. */
  readonly name: string;
  /** Default: the global provider's, looked up when the first operation ends. */
  readonly meter?: Meter;
}

const optionNames: readonly string[] = [
  "name",
  "meter",
] satisfies readonly (keyof MeasuredStoreOptions)[];

/** Seconds; the boundaries that the conventions recommend for operations of databases. */
const boundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Methods that wait for something else than the store. */
const waits: ReadonlySet<string> = new Set(["watch", "exclusive"]);

/**
 * Returns a store with the same methods, whose operations are measured with OpenTelemetry:
 * `toolweave.store.operation.duration` in seconds, by `toolweave.store.name`, `toolweave.store.operation` (the method)
 * and, if it fails, `error.type` (the code of a ToolError, else the name of the error). Methods that wait for other
 * processes (`watch`, `exclusive`) are not measured.
 *
 * @example
 * ```ts
 * const credentials = measuredStore(store, { name: "credentials" });
 * ```
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 */
export function measuredStore<Store extends object>(
  store: Store,
  options: MeasuredStoreOptions,
): Store {
  checkOptions("measuredStore", options, optionNames);
  const { name, meter } = options;
  if (typeof name !== "string" || name === "") {
    throw new ToolError("invalid_configuration", "measuredStore: name must be a text.");
  }
  let histogram: Histogram | undefined;
  const record = (operation: string, startedAt: number, error?: unknown): void => {
    histogram ??= (meter ?? metrics.getMeter("@toolweave/core")).createHistogram(
      "toolweave.store.operation.duration",
      {
        description: "The duration of an operation of a store.",
        unit: "s",
        advice: { explicitBucketBoundaries: boundaries },
      },
    );
    const attributes: Attributes = {
      "toolweave.store.name": name,
      "toolweave.store.operation": operation,
    };
    if (error !== undefined) attributes["error.type"] = toErrorType(error);
    histogram.record((performance.now() - startedAt) / 1000, attributes);
  };
  const measured: Record<string, unknown> = {};
  for (const key of methodNames(store)) {
    const method = (store as Record<string, unknown>)[key] as (...args: unknown[]) => unknown;
    measured[key] = waits.has(key)
      ? method.bind(store)
      : (...args: unknown[]): unknown => {
          const startedAt = performance.now();
          let result: unknown;
          try {
            result = method.apply(store, args);
          } catch (error) {
            record(key, startedAt, error);
            throw error;
          }
          if (!isThenable(result)) {
            record(key, startedAt);
            return result;
          }
          return Promise.resolve(result).then(
            (value) => {
              record(key, startedAt);
              return value;
            },
            (error: unknown) => {
              record(key, startedAt, error ?? new Error("unknown"));
              throw error;
            },
          );
        };
  }
  return measured as Store;
}

/** The names of all methods, inherited ones too. */
function methodNames(store: object): ReadonlySet<string> {
  const names = new Set<string>();
  let level: object | null = store;
  while (level !== null && level !== Object.prototype) {
    for (const key of Object.getOwnPropertyNames(level)) {
      if (key === "constructor") continue;
      if (typeof (store as Record<string, unknown>)[key] === "function") names.add(key);
    }
    level = Object.getPrototypeOf(level) as object | null;
  }
  return names;
}

function toErrorType(error: unknown): string {
  if (ToolError.is(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}
