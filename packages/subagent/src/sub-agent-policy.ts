import {
  ToolError,
  type PolicyDefinition,
  type PolicyInput,
  type PolicyLayerInput,
  type PolicyPreset,
  type Interruption,
  type JsonObject,
  type ToolCall,
  type ToolOutcome,
  type ToolSelection,
  type Toolset,
} from "@toolweave/core";
import {
  checkOptions,
  childPointer,
  compareNames,
  ToolsetSnapshot,
  type RegisteredTool,
  type ToolScope,
} from "@toolweave/core/adapter";
import { maxListedTools } from "@toolweave/core/integration";
import type { AgentCalls, TurnOptions } from "./agent-limits.ts";

/** A policy that only narrows, as data: a pending call stores it, and resumes with it in another process. */
export type NarrowingPolicy = "readOnly" | "strict" | PolicyDefinition;

/** The adapter's name in the provenance of tools that delegate to another agent. */
export const adapter = "subagent";

/** Every preset, and whether it narrows. */
const narrows: Readonly<Record<PolicyPreset, boolean>> = {
  readOnly: true,
  strict: true,
  supervised: true,
  autonomous: false,
};

/** Denies delegating tools to a sub-agent that must not delegate, whatever calls lie between. */
const noDelegation: PolicyDefinition = {
  name: "depth",
  rules: [
    {
      effect: "deny",
      provenance: { adapter },
      reason: "sub-agents are nested as deep as they may be",
    },
  ],
};

/**
 * The policies of a sub-agent as layers.
 *
 * @throws ToolError `invalid_configuration` for one that would have to loosen something to have an effect.
 */
export function checkedPolicy(
  where: string,
  policy: NarrowingPolicy | readonly NarrowingPolicy[],
): readonly NarrowingPolicy[] {
  const layers = Array.isArray(policy) ? (policy as readonly NarrowingPolicy[]) : [policy];
  for (const layer of layers) check(where, layer as unknown);
  return structuredClone(layers) as readonly NarrowingPolicy[];
}

/** The policy that narrows a sub-agent's calls. */
export function narrowing(layers: readonly NarrowingPolicy[], mayDelegate: boolean): PolicyInput {
  const own: readonly PolicyLayerInput[] = layers as readonly PolicyLayerInput[];
  return mayDelegate ? own : [...own, noDelegation];
}

function check(where: string, layer: unknown): void {
  if (typeof layer === "string") {
    if (Object.hasOwn(narrows, layer) && narrows[layer as PolicyPreset]) return;
    throw loosening(where, `"${layer}" takes nothing away`);
  }
  if (typeof layer === "function") {
    throw loosening(where, "a function cannot be kept with a call that waits; write rules as data");
  }
  checkOptions(where, layer, ["name", "preset", "default", "rules"]);
  const { preset, default: usual, rules = [] } = layer as PolicyDefinition;
  if (preset !== undefined) check(where, preset);
  if (usual === "allow") throw loosening(where, `default: "allow" takes nothing away`);
  const isNarrow = preset !== undefined || usual !== undefined;
  const allows = rules.findIndex(({ effect }) => effect === "allow");
  if (allows >= 0 && !isNarrow) {
    throw loosening(
      where,
      `rules[${allows}] allows, which means something only beside default: "deny" or "ask"`,
    );
  }
}

function loosening(where: string, what: string): ToolError {
  return new ToolError(
    "invalid_configuration",
    `${where}: a sub-agent's policy can only narrow that of its caller: ${what}.`,
  );
}

/** How a sub-agent's calls are made. */
interface ScopeCallsOptions {
  readonly scope: ToolScope;
  /** That of the call that the sub-agent is. */
  readonly callId: string;
  readonly selection: ToolSelection;
  /** The sub-agent may have sub-agents of its own. */
  readonly mayDelegate: boolean;
  readonly narrow: PolicyInput;
  readonly inherit: ReadonlyMap<symbol, unknown>;
  readonly signal: AbortSignal;
  readonly turns: TurnOptions;
  /** A person has answered what waits. */
  readonly isResumed: boolean;
}

/** The source of the built-in tools. */
const helpers = "toolweave";
const searching: ReadonlySet<string> = new Set(["search_tools", "describe_tool", "call_tool"]);

/** The calls of a sub-agent: those of the call that it is. */
export class ScopeCalls implements AgentCalls {
  readonly #options: ScopeCallsOptions;
  /** The tools that the sub-agent has found by searching. */
  readonly #found = new Set<string>();
  #toolset: { readonly of: Toolset; readonly found: number; readonly is: Toolset } | undefined;

  constructor(options: ScopeCallsOptions) {
    this.#options = options;
  }

  get turns(): TurnOptions {
    return this.#options.turns;
  }

  callId(modelId: string): string {
    // An id of a model must not pass for the id of a call further down.
    return childPointer(this.#options.callId, modelId);
  }

  nextTurn(): Toolset {
    const all = this.#options.scope.toolset;
    const found = this.#found.size;
    if (this.#toolset?.of !== all || this.#toolset.found !== found) {
      this.#toolset = { of: all, found, is: this.#select(all) };
    }
    return this.#toolset.is;
  }

  async executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    const { scope, narrow, inherit, signal, turns } = this.#options;
    const toolset = this.nextTurn();
    const options = { ...turns, toolset, narrow, inherit, signal };
    const outcomes = await scope.executeAll(calls, options);
    // With the constant form the list stays as it is.
    const grows = toolset.entry("call_tool") === undefined;
    for (const [index, { name }] of calls.entries()) {
      if (grows && name === "search_tools") this.#find(outcomes[index] as ToolOutcome);
    }
    return outcomes;
  }

  async execute(call: ToolCall): Promise<ToolOutcome> {
    const [outcome] = await this.executeAll([call]);
    return outcome as ToolOutcome;
  }

  refusal(_: Interruption, outcome: ToolOutcome): ToolError | undefined {
    // The answer to its own call has been used up: what else is refused stays so.
    const isStoreUnavailable =
      outcome.status === "failed" && outcome.error.code === "store_unavailable";
    return isStoreUnavailable ? outcome.error : undefined;
  }

  resume(interruption: Interruption): Promise<ToolOutcome> | undefined {
    const { scope, inherit, signal, isResumed } = this.#options;
    return isResumed ? scope.resume(interruption, { inherit, signal }) : undefined;
  }

  /** Selects the sub-agent's tools from those that may be called; all of them are listed, unless they are too many. */
  #select(all: Toolset): Toolset {
    const { selection, mayDelegate } = this.#options;
    const named = all.select(selection);
    const chosen = all.filter((entry) => {
      const { name, provenance } = entry.tool.spec;
      if (entry.source === helpers) return true;
      return named.callable(name) === entry && (mayDelegate || provenance.adapter !== adapter);
    });
    const names = Array.from(chosen.callableNames());
    const isSearched = chosen.searchable !== undefined && names.length > maxListedTools;
    const isListed = (name: string): boolean =>
      isSearched ? chosen.entry(name) !== undefined || this.#found.has(name) : !searching.has(name);
    const listed = new Map<string, RegisteredTool>();
    for (const name of names.filter(isListed).sort(compareNames)) {
      listed.set(name, chosen.callable(name) as RegisteredTool);
    }
    return new ToolsetSnapshot(all.version, listed, isSearched ? chosen : undefined);
  }

  #find(outcome: ToolOutcome): void {
    const value = outcome.status === "completed" ? outcome.result.value : undefined;
    const { tools } = (value ?? {}) as { readonly tools?: readonly JsonObject[] };
    for (const { name } of Array.isArray(tools) ? tools : []) this.#found.add(String(name));
  }
}
