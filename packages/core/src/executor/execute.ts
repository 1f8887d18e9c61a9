import { isThenable, type Awaitable } from "../spec/json.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
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

/** One step of the pipeline. It leaves the pipeline by throwing. */
type Stage = (execution: Execution) => Awaitable<unknown>;

/** Whether the call may start. */
const admission: readonly Stage[] = [
  resolve, //      1  name → tool in the advertised toolset
  parse, //        2  JSON text → a value of the call's own
  strip, //        3  what only the host may supply
  validate, //     4  the full schema, then the tool's own check
  count, //        5  reserve, or refuse at once
  beforeHooks, //  6  pass, modify (back to 3), block
  authorize, //    7  the final arguments → deny, ask, allow
];

/** Once it may. */
const work: readonly Stage[] = [
  acquire, //      8  a place to run in
  run, //             the tool's own work, under its timeout
  normalise, //    9  whatever came back → an output that keeps its schema
  afterHooks, //  10  amend or redact
  bound, //           no more than the model's limit
];

const pipeline: readonly Stage[] = [...admission, ...work];

/** What `admit` has let through gave its place back: it takes one anew. */
const afterAdmission: readonly Stage[] = [count, ...work];

/** Takes a call through the pipeline. Never rejects: every stage's exit is an outcome. */
export function execute(execution: Execution): Promise<ToolOutcome> {
  const { events } = execution.engine;
  if (events.active && execution.resumption === undefined) {
    events.emitCall(execution, { type: "tool.requested" });
  }
  return new Promise((settle) => {
    execution.settle = settle;
    through(pipeline, execution, 0);
  });
}

/** Takes a call through admission only. `undefined`: it would run now. */
export function admit(execution: Execution): Promise<ToolOutcome | undefined> {
  execution.onlyAdmitted = true;
  return new Promise((settle) => {
    execution.settle = settle as Execution["settle"];
    through(admission, execution, 0);
  });
}

/** Goes on with a call that `admit` has let through. */
export function start(execution: Execution): Promise<ToolOutcome> {
  const { engine, authorization } = execution;
  if (engine.events.active) {
    engine.events.emitCall(execution, { type: "tool.requested" });
    if (authorization !== undefined) {
      engine.events.emitCall(execution, { type: "tool.authorized", ...authorization });
    }
  }
  return new Promise((settle) => {
    execution.settle = settle;
    through(afterAdmission, execution, 0);
  });
}

/** The stages in order; one is waited for only when it gives a promise. */
function through(stages: readonly Stage[], execution: Execution, from: number): void {
  try {
    for (let index = from; index < stages.length; index++) {
      if (execution.stopped !== undefined) throw execution.stopped;
      const pending = (stages[index] as Stage)(execution);
      if (isThenable(pending)) return wait(stages, execution, index, pending);
    }
    execution.settle(execution.onlyAdmitted ? admitted(execution) : completion(execution)); // 11
    letGo(execution);
  } catch (thrown) {
    leave(execution, thrown);
  }
}

/** Goes on after a stage that takes its time; a stop does not wait with it. */
function wait(
  stages: readonly Stage[],
  execution: Execution,
  index: number,
  pending: PromiseLike<unknown>,
): void {
  execution.waitingFor = index;
  execution.engine.inFlight.add(execution);
  pending.then(
    (value) => {
      if (!arrive(execution, index)) return late(execution, stages[index], "returned");
      // Only the stage that runs the tool answers with something.
      execution.returned = value;
      through(stages, execution, index + 1);
    },
    (thrown: unknown) => {
      if (!arrive(execution, index)) return late(execution, stages[index], "threw");
      leave(execution, thrown);
    },
  );
  // A stop that came while the stage was not yet waiting has found nothing to end.
  if (execution.waitingFor !== index) return;
  if (execution.stopped !== undefined) leave(execution, execution.stopped);
  else if (execution.run.stopped !== undefined) execution.stop(execution.run.stopped);
}

function arrive(execution: Execution, index: number): boolean {
  if (execution.waitingFor !== index) return false;
  execution.waitingFor = -1;
  execution.engine.inFlight.delete(execution);
  return true;
}

/** The exit of every stage that does not let the call through, and of a stop. */
export function leave(execution: Execution, thrown: unknown): void {
  if (execution.waitingFor !== -1) arrive(execution, execution.waitingFor);
  const waits = Interrupted.is(thrown);
  if (waits || execution.attempt === 0) uncount(execution);
  if (execution.onlyAdmitted) {
    execution.engine.events.emitCall(execution, { type: "tool.requested" });
  }
  execution.settle(
    waits
      ? interrupt(execution, thrown).catch((error: unknown) =>
          failure(execution, isFull(error) ? error : unkept(execution, error)),
        )
      : failure(execution, failureOf(execution, thrown)),
  );
  letGo(execution);
}

/** Gives back the place, and ends what the tool has left running. */
function letGo(execution: Execution): void {
  release(execution);
  if (execution.hasChildren) {
    execution.stopChildren(new ToolError("cancelled", "The tool that made this call has ended."));
  }
}

function isFull(error: unknown): error is ToolError {
  return ToolError.is(error) && error.code === "limit_exceeded";
}

/** A call that should wait for a person cannot: what it would be kept with is no JSON. */
function unkept({ call }: Execution, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} has to wait for a person, but its schemas, arguments or requests are not plain JSON, so that it cannot be put aside.`,
    { cause },
  );
}

function admitted(execution: Execution): never {
  uncount(execution);
  execution.ended = true;
  return undefined as never;
}

/** A tool answered after its call had already ended; nobody waits for it any more. */
function late(execution: Execution, stage: Stage | undefined, outcome: "returned" | "threw"): void {
  if (stage === run) execution.engine.events.emitCall(execution, { type: "tool.late", outcome });
}
