import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import { SecretSet } from "@toolweave/core/adapter";
import type { WebOptions } from "@toolweave/builtin";
import type { WorkspaceOptions } from "@toolweave/workspace";
import type { Capability } from "../builtins/builtin.ts";

/** Options for the reach of scripts. The policy of the executor decides on each use. */
export interface EffectOptions {
  /** Files and programs; false: none. Default: the folder of the source. */
  readonly workspace?: WorkspaceOptions | false;
  /** Requests; false: none. Default: hosts that are not listed need approval. */
  readonly web?: WebOptions | false;
  /** The tools behind `delegate`: `subAgentTool`s, of which `delegate` is the default. Default: none. */
  readonly agents?: readonly Tool[];
}

/**
 * The tools behind the functions with an effect: local tools, which only scripts can call. They are made when a script
 * with such a function runs for the first time.
 */
export class ScriptEffects {
  readonly #options: EffectOptions;
  readonly #local: readonly Tool[];
  readonly #sources: ToolSource[] = [];
  readonly secrets: SecretSet = new SecretSet();
  #loading: Promise<void> | undefined;
  /** The tools that have been made. Always the same list: tools keep it, and it is filled when one of them runs. */
  readonly tools: Tool[] = [];
  #isClosed = false;

  /** @param local further tools for scripts, which need nothing to be loaded. */
  constructor(options: EffectOptions, local: readonly Tool[] = []) {
    this.#options = options;
    this.#local = local;
  }

  /**
   * Makes the tools.
   *
   * @throws ToolError `invalid_configuration` (by rejecting) for an option that a package rejects, `unavailable` after the
   * source was closed.
   */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    const { workspace, web, agents = [] } = this.#options;
    if (workspace !== undefined && workspace !== false) {
      const { workspaceEffects } = await import("@toolweave/workspace/effects");
      this.#add(workspaceEffects(workspace));
    }
    if (web !== false) {
      const { webEffects } = await import("@toolweave/builtin/effects");
      this.#add(webEffects(web));
    }
    this.tools.push(
      ...this.#sources.flatMap((source) => source.tools()),
      ...agents,
      ...this.#local,
    );
  }

  #add(source: ToolSource): void {
    if (this.#isClosed) {
      void source.close();
      throw new ToolError("unavailable", "The source of the script was closed.");
    }
    this.#sources.push(source);
    for (const secret of source.secrets ?? []) this.secrets.add(secret);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.tools.length = 0;
    await Promise.all(this.#sources.map((source) => source.close()));
  }
}

/** Capabilities for which the tools of `ScriptEffects` are needed. */
export const effectCapabilities: readonly Capability[] = [
  "process",
  "fs.read",
  "fs.write",
  "network",
  "delegate",
  "meta",
];
