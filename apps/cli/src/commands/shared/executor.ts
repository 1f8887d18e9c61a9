import {
  ToolError,
  ToolExecutor,
  type ExecutorOptions,
  type ApprovalMode,
  type PolicyInput,
  type ToolRegistry,
} from "@toolweave/core";
import type { ArtifactStore } from "@toolweave/core/stores";
import { executorStores, type CommandKey, type ExecutorStores } from "../../store/command-store.ts";

/** As much of a store as an executor needs. */
type ExecutorStore = ExecutorStores & { readonly key: Pick<CommandKey, "value"> };

/** The options of a command's executor. */
export interface CommandExecutorOptions {
  readonly registry: ToolRegistry;
  readonly policy?: PolicyInput | undefined;
  /** The hooks of the configuration's scripts. Default: none. */
  readonly hooks?: ExecutorOptions["hooks"];
  /** Milliseconds; undefined: the executor's own. */
  readonly timeout?: number | undefined;
  readonly onAsk?: ApprovalMode;
  /** An agent's model reads what its tools answer: with a model's limits. Default: false. */
  readonly isForModel?: boolean | undefined;
  /** The store; undefined: nothing is looked up or stored. Tasks and artifacts of a command are in memory. */
  readonly store?: ExecutorStore | undefined;
  /** Receives the decisions. Default: they are not recorded. */
  readonly audit?: ExecutorOptions["audit"];
  /** The key of the call that is resumed. Default: the store's. */
  readonly key?: string;
}

/** A command ends with its answer, so that everything has to be in it: what a tool would store stays where it is. */
const noArtifacts: ArtifactStore = {
  put: () => {
    throw new ToolError("limit_exceeded", "A command stores no artifacts.");
  },
  head: () => undefined,
  read: () => undefined,
  delete: () => {},
};

/**
 * A person reads the answer, or a program does: neither has a model's limits, nor a later call that
 * would read what was stored. The HTTP client limits how much is received.
 */
const unlimited: Partial<ExecutorOptions> = {
  maxOutputBytes: Infinity,
  artifacts: noArtifacts,
  largeOutputs: { onOverflow: "clip", maxMediaBytes: Infinity, maxCapturedBytes: Infinity },
  // A token that an API makes for its caller is what was asked for; what was sent stays secret.
  redact: { credentials: false },
};

/** The executor of one command. */
export function createExecutor({
  registry,
  policy,
  hooks = [],
  timeout,
  onAsk = "interrupt",
  isForModel = false,
  store,
  audit,
  key = store?.key.value,
}: CommandExecutorOptions): ToolExecutor {
  const { tasks: _, artifacts: __, ...stores } = store === undefined ? {} : executorStores(store);
  return new ToolExecutor({
    registry,
    onAsk,
    hooks,
    ...(isForModel ? {} : unlimited),
    ...(policy === undefined ? {} : { policy }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout, maxTimeoutMs: 0 }),
    ...stores,
    ...(audit === undefined ? {} : { audit }),
    ...(key === undefined ? {} : { key }),
  });
}
