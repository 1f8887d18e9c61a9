import { getBounds, frozenJson, outputPart } from "../../events/event-payload.ts";
import { redactStreamedOutput } from "../../redaction/redact-output.ts";
import { isOutput } from "../../results/proper-output.ts";
import { toOutput } from "../../results/to-output.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { withTimeout } from "../../time/waiting.ts";
import type { CallState } from "../call/call-state.ts";
import { hookedCall, getHookTimeout } from "./hooked-call.ts";

/** An update that hooks or listeners are processing, and the latest of those that arrived meanwhile. */
interface Flow {
  current: Promise<void>;
  waiting: ToolOutput | undefined;
  /** Resolves when the waiting update has been processed. */
  taken: Promise<void> | undefined;
}

/** By the context of the attempt. */
const flows = new WeakMap<object, Flow>();

/**
 * Passes an update of a running tool to the listeners: hooks change it, drop it, observe it. Returns a promise while
 * one of them is asynchronous.
 */
export function update(execution: CallState, given: unknown): Awaitable<void> {
  const { hooks, events } = execution.engine;
  const isRead =
    hooks.beforeUpdate.length > 0 ||
    hooks.afterUpdate.length > 0 ||
    execution.settings.onUpdate !== undefined ||
    (events.payloads && events.active);
  if (!isRead) return events.updated(execution);
  const partial = readOutput(given);
  if (partial === undefined) return;
  const attempt = execution.context as object;
  const flow = flows.get(attempt);
  if (flow === undefined) return begin(execution, attempt, partial);
  flow.waiting = partial;
  return (flow.taken ??= flow.current.then(() => {
    flows.delete(attempt);
    return begin(execution, attempt, flow.waiting as ToolOutput);
  }));
}

function begin(execution: CallState, attempt: object, partial: ToolOutput): Awaitable<void> {
  const changed = change(execution, partial, 0);
  const passing = isThenable(changed)
    ? changed.then((output) => tell(execution, attempt, output))
    : tell(execution, attempt, changed);
  if (!isThenable(passing)) return;
  const flow: Flow = {
    current: Promise.resolve(passing).then(() => {
      if (flow.taken === undefined) flows.delete(attempt);
    }),
    waiting: undefined,
    taken: undefined,
  };
  flows.set(attempt, flow);
  return flow.current;
}

/** A frozen copy. `undefined`: the update cannot be read. */
function readOutput(given: unknown): ToolOutput | undefined {
  try {
    return frozenJson(toOutput(given));
  } catch {
    return undefined;
  }
}

/**
 * Runs the hooks from `from` on. `undefined`: the update is dropped, also when a hook fails, since that hook may
 * redact.
 */
function change(
  execution: CallState,
  update: ToolOutput,
  from: number,
): Awaitable<ToolOutput | undefined> {
  const { beforeUpdate } = execution.engine.hooks;
  let passed: ToolOutput | undefined = update;
  try {
    for (const [index, hook] of beforeUpdate.entries()) {
      const call = hookedCall(execution);
      if (index < from || hook.when?.(call) === false) continue;
      const answer: unknown = hook.beforeUpdate(call, passed);
      if (isThenable(answer)) {
        const before = passed;
        return inTime(execution, getHookTimeout(execution, hook), answer).then((answer) => {
          const accepted = accept(before, answer);
          return accepted && change(execution, accepted, index + 1);
        });
      }
      passed = accept(passed, answer);
      if (passed === undefined) return undefined;
    }
    return passed;
  } catch {
    return undefined;
  }
}

function accept(before: ToolOutput, answer: unknown): ToolOutput | undefined {
  if (answer === undefined) return before;
  try {
    const isOne = typeof answer === "object" && answer !== null && isOutput(answer);
    return isOne ? readOutput(answer) : undefined;
  } catch {
    return undefined;
  }
}

function tell(
  execution: CallState,
  attempt: object,
  output: ToolOutput | undefined,
): Awaitable<void> {
  const { engine, settings, call } = execution;
  const { onUpdate } = settings;
  // The call may have ended while a hook was running.
  if (output === undefined || !execution.isCurrentAttempt(attempt)) return;
  const sealed = seal(execution, output);
  if (sealed === undefined) return;
  const { part, truncated } = sealed;
  if (engine.events.payloads) engine.events.updated(execution, part, truncated);
  else engine.events.updated(execution);
  const pending: Promise<unknown>[] = [];
  const ask = (ms: number, listener: () => unknown): void => {
    try {
      const answer = listener();
      if (isThenable(answer)) pending.push(inTime(execution, ms, answer));
    } catch {
      // An observer that throws changes nothing.
    }
  };
  for (const hook of engine.hooks.afterUpdate) {
    ask(getHookTimeout(execution, hook), () => {
      const hooked = hookedCall(execution);
      return hook.when?.(hooked) === false ? undefined : hook.afterUpdate(hooked, part);
    });
  }
  if (onUpdate !== undefined) ask(engine.hookTimeoutMs, () => onUpdate(part, call));
  if (pending.length > 0) return Promise.all(pending).then(() => {});
}

/** `undefined`: the update cannot be searched for secrets, and is dropped. */
function seal(execution: CallState, output: ToolOutput): ReturnType<typeof outputPart> | undefined {
  try {
    return outputPart(getBounds(execution), redactStreamedOutput(execution, output));
  } catch {
    return undefined;
  }
}

/** Waits for the answer of host code; `null` when it fails or times out. */
async function inTime(
  { engine: { clock } }: CallState,
  ms: number,
  pending: PromiseLike<unknown>,
): Promise<unknown> {
  try {
    return await (ms > 0 ? withTimeout(pending, ms, { clock }) : pending);
  } catch {
    return null;
  }
}
