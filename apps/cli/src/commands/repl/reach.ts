import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  ToolRegistry,
  type ApprovalMode,
  type PolicyInput,
  type ToolExecutor,
} from "@toolweave/core";
import { effectSource } from "@toolweave/markdown/authoring";
import { loadPolicy } from "../../input/policy-option.ts";
import { configFile } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";
import { planSources } from "../../sources/load-sources.ts";
import type { RemedyPlaces } from "../../render/remedy.ts";
import { createExecutor } from "../shared/executor.ts";

/** The options that decide what a session reaches. */
export interface ReachOptions {
  readonly config?: string;
  readonly policy?: string;
}

/** The executors of a session with `--allow`. */
export interface Reach {
  readonly effects: ToolExecutor;
  /** The tools of the configuration, for `meta.call_tool`. */
  readonly tools: ToolExecutor | undefined;
  readonly listTools: () => readonly { readonly name: string; readonly description: string }[];
  close(): Promise<void>;
}

/**
 * Makes the executors of a session: one for the effects, one for the tools of the configuration if there is one. The policy is
 * that of the configuration and of `--policy`.
 *
 * @throws UsageError, UntrustedConfig
 */
export async function openReach(
  options: ReachOptions,
  onAsk: (places: RemedyPlaces | undefined) => ApprovalMode,
  io: CliIo,
  output: Output,
): Promise<Reach> {
  const hasConfig = options.config !== undefined || existsSync(resolve(configFile));
  const plan = hasConfig ? await planSources(options, io, output) : undefined;
  const loaded = await plan?.load();
  const policy: PolicyInput | undefined =
    loaded === undefined ? await loadPolicy(options.policy) : loaded.policy;
  const ask = onAsk(loaded?.places);
  const registry = new ToolRegistry([await effectSource(process.cwd())]);
  const common = { policy, onAsk: ask };
  return {
    effects: createExecutor({ registry, ...common }),
    tools:
      loaded === undefined ? undefined : createExecutor({ registry: loaded.registry, ...common }),
    listTools: () => loaded?.registry.toolset().specs() ?? [],
    close: async () => {
      await Promise.all([registry.close(), loaded?.registry.close()]);
    },
  };
}
