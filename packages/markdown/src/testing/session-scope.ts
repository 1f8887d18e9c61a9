import {
  ToolError,
  toolsSource,
  type JsonObject,
  type JsonValue,
  type ToolExecutor,
  type ToolOutcome,
  type ToolSource,
} from "@toolweave/core";
import type { LogLevel, ScriptScope } from "../builtins/builtin.ts";
import { RunCache } from "../builtins/state.ts";
import { ScriptEffects } from "../effects/script-effects.ts";

/** The ways from a session to tools and to the log. */
export interface SessionReach {
  /** Calls the tools of `effectSource`. Undefined: every effect is refused. */
  readonly effects: () => ToolExecutor | undefined;
  /** Calls other tools, for `meta.call_tool`. Undefined: there are none. */
  readonly tools: () => ToolExecutor | undefined;
  /** The tools that `meta.list_tools` lists. */
  readonly listTools: ScriptScope["listTools"];
  /** The message of a refused effect. */
  readonly refusal: string;
  readonly log: (level: LogLevel, message: string) => void;
  /** Ends the call that runs. */
  readonly signal: () => AbortSignal | undefined;
}

/** The tools behind the functions with an effect, for a folder: give them to an executor whose policy decides. */
export async function effectSource(folder: string): Promise<ToolSource> {
  const effects = new ScriptEffects({ workspace: { root: folder } });
  await effects.load();
  const source = toolsSource("scripts", effects.tools);
  const close = (): Promise<void> => effects.close();
  return { ...source, close, [Symbol.asyncDispose]: close };
}

/** The scope of a session: each effect is a call of an executor. */
export function sessionScope(reach: SessionReach): ScriptScope {
  let calls = 0;
  const execute = (
    executor: ToolExecutor,
    name: string,
    args: JsonObject,
  ): Promise<ToolOutcome> => {
    const signal = reach.signal();
    const call = { id: `input-${++calls}`, name, arguments: args };
    return executor.execute(call, signal === undefined ? {} : { signal });
  };
  return {
    cache: new RunCache(),
    env: {},
    get signal() {
      return reach.signal();
    },
    now: () => Date.now(),
    random: () => Math.random(),
    log: reach.log,
    listTools: reach.listTools,
    effect: async (tool, args) => {
      const executor = reach.effects();
      if (executor === undefined) throw new ToolError("permission_denied", reach.refusal);
      const outcome = await execute(executor, tool, args);
      if (outcome.ok) return toValue(outcome);
      throw outcome.error ?? new ToolError("permission_denied", describeInterruption(outcome));
    },
    callTool: async (name, args) => {
      const executor = reach.tools();
      if (executor === undefined) throw new ToolError("permission_denied", reach.refusal);
      const outcome = await execute(executor, name, args);
      if (outcome.ok) return { ok: true, value: toValue(outcome) };
      const { error } = outcome;
      if (error === undefined)
        throw new ToolError("permission_denied", describeInterruption(outcome));
      return { ok: false, value: toValue(outcome), error: error.message, code: error.code };
    },
  };
}

function describeInterruption({ interruption }: ToolOutcome): string {
  return `${interruption?.call.name ?? "The call"} needs an approval, and no person can be asked.`;
}

function toValue({ result }: ToolOutcome): JsonValue {
  if (result?.value !== undefined) return result.value;
  return (result?.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}
