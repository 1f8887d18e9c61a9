import type { Awaitable } from "../spec/json.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import type { Execution } from "./execution.ts";
import { failureOf } from "./failure-of.ts";
import { interrupt } from "./interrupt.ts";
import { Interrupted } from "./interrupted.ts";
import { completion, failure } from "./outcome.ts";
import { acquire, release } from "./stages/acquire.ts";
import { afterHooks } from "./stages/after-hooks.ts";
import { authorize } from "./stages/authorize.ts";
import { beforeHooks } from "./stages/before-hooks.ts";
import { bound } from "./stages/bound.ts";
import { count, uncount } from "./stages/count.ts";
import { normalise } from "./stages/normalise.ts";
import { parse } from "./stages/parse.ts";
import { resolve } from "./stages/resolve.ts";
import { run } from "./stages/run.ts";
import { strip } from "./stages/strip.ts";
import { validate } from "./stages/validate.ts";

/** One step of the pipeline. It leaves the pipeline by throwing; only a promise is awaited. */
type Stage = (execution: Execution) => Awaitable<void>;

const pipeline: readonly Stage[] = [
  resolve, //      1  name → tool in the advertised toolset
  parse, //        2  JSON text → a value of the call's own
  strip, //        3  what only the host may supply
  validate, //     4  the full schema, then the tool's own check
  count, //        5  reserve, or refuse at once
  beforeHooks, //  6  pass, modify (back to 3), block
  authorize, //    7  the final arguments → deny, ask, allow
  acquire, //      8  a place to run in
  run, //             the tool's own work, under its timeout
  normalise, //    9  whatever came back → an output that keeps its schema
  afterHooks, //  10  amend or redact
  bound, //           no more than the model's limit
];

/** Takes a call through the pipeline. Never rejects: every stage's exit is an outcome. */
export async function execute(execution: Execution): Promise<ToolOutcome> {
  const { events } = execution.engine;
  if (events.active) events.emitCall(execution, { type: "tool.requested" });
  try {
    for (let index = 0; index < pipeline.length; index++) {
      if (execution.stopped !== undefined) throw execution.stopped;
      const pending = (pipeline[index] as Stage)(execution);
      if (pending !== undefined) await pending;
    }
    return completion(execution); // 11  the event of its end
  } catch (thrown) {
    if (execution.attempt === 0) uncount(execution);
    return thrown instanceof Interrupted
      ? await interrupt(execution, thrown)
      : failure(execution, failureOf(execution, thrown));
  } finally {
    release(execution);
  }
}
