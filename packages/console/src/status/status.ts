import { createRequire } from "node:module";
import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { listProblems, listSources, type SourceRow } from "./source-rows.ts";

/** The stores and files that a host has attached to the console. */
export interface AttachedStores {
  readonly pendingCalls: boolean;
  readonly grants: boolean;
  readonly tasks: boolean;
  readonly artifacts: boolean;
  readonly memory: boolean;
  readonly audit: boolean;
  /** The names of recorded event files. */
  readonly recordings: readonly string[];
  readonly lock: boolean;
}

/** The state of an executor and its sources. */
export interface Status {
  /** The version of this package. */
  readonly version: string;
  readonly sources: readonly SourceRow[];
  readonly tools: {
    readonly total: number;
    /** The version of the registry, which grows by one with every change. */
    readonly version: number;
  };
  /** The number of problems. */
  readonly problems: number;
  readonly stores: AttachedStores;
  readonly policy: {
    /** The names of the policies in force, in order. */
    readonly layers: readonly string[];
    /** Configuration that is valid and has no effect. */
    readonly warnings: readonly { readonly message: string; readonly place?: string }[];
  };
  /** The number of calls that wait for a person. */
  readonly waiting: number;
  readonly limits: {
    /** Milliseconds of one attempt of a tool without a timeout of its own. Absent: no limit. */
    readonly timeoutMs?: number;
    /** Bytes of content that a model gets of one result. */
    readonly maxOutputBytes?: number;
  };
}

/** Reads the state of an executor and its sources. */
export async function getStatus(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
  attached: AttachedStores,
): Promise<Status> {
  const { registry, callLimits, policies } = executor;
  const { timeoutMs, maxOutputBytes } = callLimits;
  const records = await pendingCalls.list();
  const problems = listProblems(executor);
  const configuration = problems.filter(({ kind }) => kind === "configuration");
  return {
    version: getVersion(),
    sources: listSources(executor),
    tools: { total: registry.size, version: registry.version },
    problems: problems.length,
    stores: attached,
    policy: {
      layers: executor.redact(policies.map(({ name }) => name)),
      warnings: configuration.map(({ message, place }) => ({
        message,
        ...(place === undefined ? {} : { place }),
      })),
    },
    waiting: records.filter(
      ({ interruption, status }) => status === "pending" && interruption.parentCallId === undefined,
    ).length,
    limits: { ...(timeoutMs === 0 ? {} : { timeoutMs }), maxOutputBytes },
  };
}

let version: string | undefined;

function getVersion(): string {
  if (version === undefined) {
    const read = createRequire(import.meta.url);
    // By its name: the place of this file differs between the sources and the built package.
    version = (read("@toolweave/console/package.json") as { readonly version: string }).version;
  }
  return version;
}
