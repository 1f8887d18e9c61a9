import type {
  Answer,
  CallOptions,
  ExecuteAllOptions,
  Interruption,
  InterruptionRequest,
  JsonObject,
  ToolCall,
  ToolRun,
} from "@toolweave/core";
import {
  memoryPendingCalls,
  memoryTasks,
  type PendingCallStore,
  type TaskStore,
} from "@toolweave/core/stores";
import { settled } from "@toolweave/test-support/fake-clock";
import { sentArguments } from "./calls.ts";
import { defined, Host, takeInside } from "./host.ts";
import { hostOptions, pendingStore, taskStore } from "./host-options.ts";
import { createTool } from "./tools.ts";
import { askFor, cancelWorking, checkTasks } from "./tasks.ts";
import { noTool } from "./plan.ts";
import type { AnswerKind, CallPlan, ManyPlan, Op, OptionsPlan, Plan, ResumePlan } from "./plan.ts";
import { secret, Environment } from "./environment.ts";

/** The remaining state after the end of a life. */
export interface Played {
  readonly environment: Environment;
  readonly hosts: readonly Host[];
  readonly inside: ReturnType<typeof takeInside>;
  readonly timers: number;
}

/** Plays one random life to its end: every call has ended, and no other can start. */
export async function play(plan: Plan): Promise<Played> {
  takeInside();
  const environment = new Environment();
  const openPendingStore = () =>
    pendingStore(environment, plan, memoryPendingCalls(environment.clock));
  const store = openPendingStore();
  const openTaskStore = () => taskStore(environment, plan, memoryTasks(environment.clock));
  const tasks = openTaskStore();
  const hostWith = (pending: PendingCallStore, ofTasks: TaskStore): Host =>
    new Host(environment, plan, (host) => ({
      tools: plan.tools.map((tool, at) => createTool(host, tool, at)),
      options: hostOptions(host, plan, pending, ofTasks),
    }));
  const here = hostWith(store, tasks);
  const there = plan.sharesStore
    ? hostWith(store, tasks)
    : hostWith(openPendingStore(), openTaskStore());
  const hosts = [here, there];
  for (const { what, waitMs } of plan.ops) {
    act(hosts, what);
    await environment.clock.advance(waitMs);
  }
  await environment.until(2000);
  if (plan.lastWord !== "none") {
    // Including later interruptions: a tool may ask again.
    for (let at = 0; at < environment.interruptions.length && at < 6; at++) {
      const interruption = environment.interruptions[at] as Interruption;
      resume(here, interruption, answersFor(interruption, plan.lastWord));
    }
    await environment.until(2000);
  }
  for (const host of hosts) for (const run of host.runs) run.cancel();
  for (const controller of environment.controllers) controller.abort();
  // A hook without a timeout blocks a task without end, unless the host cancels it.
  for (const host of hosts) void cancelWorking(host);
  await environment.until(2000);
  // Work that is no longer awaited ends as well.
  await environment.clock.advance(20_000);
  for (const one of environment.open) environment.violation(`never ended: ${one}`);
  const { timers } = environment.clock;
  const inside = takeInside();
  void environment.expected("the tasks", checkTasks(hosts));
  await environment.until(10_000);
  for (const host of hosts) environment.expected("the last drain", host.executor.drain());
  await settled();
  for (const one of environment.open) environment.violation(`never ended: ${one}`);
  return { environment, hosts, inside, timers };
}

function act(hosts: readonly Host[], op: Op): void {
  const [here, there] = hosts;
  const host = here as Host;
  const { environment } = host;
  switch (op.op) {
    case "execute": {
      const call = toCall(host, op.call);
      const run = getRun(host, op.run);
      const options = toOptions(host, op.options);
      const going = op.direct
        ? host.executor.execute(call, {
            ...options,
            signal: environment.signal(op.options.abortAfterMs),
            injected: { tenant: secret },
          })
        : run.execute(call, options);
      void host.outcome(going, call.id, "execute");
      return;
    }
    case "all":
      return void all(host, op);
    case "stream":
      return void environment.expected("stream", stream(host, op));
    case "checkAdmission":
      return void environment.expected("checkAdmission", checkAdmission(host, op));
    case "resume": {
      const { interruptions } = environment;
      const found = interruptions[op.which % Math.max(1, interruptions.length)];
      if (found === undefined) return;
      const to = (op.there ? there : here) as Host;
      const given = tampered(found, op.tamper);
      for (let time = 0; time < op.times; time++) {
        const run = op.inRun === undefined ? undefined : getRun(to, op.inRun);
        resume(to, given, answersFor(found, op.answer), op.tamper !== "none", run, op.options);
      }
      return;
    }
    case "cancel":
      return getRun(host, op.run).cancel("Enough.");
    case "dispose":
      return void environment.expected("dispose", getRun(host, op.run)[Symbol.asyncDispose]());
    case "nextTurn": {
      const run = getRun(host, op.run);
      if (op.only === undefined) run.nextTurn();
      else run.nextTurn(host.executor.toolset.select({ include: [`t${op.only}`] }));
      return;
    }
    case "explain": {
      const { name, arguments: args } = toCall(host, op.call);
      // A store that hangs is awaited, and one that fails is reported.
      void host.executor.explain({ name, arguments: args }).catch((error: unknown) => {
        if ((error as { code?: unknown }).code === "store_unavailable") return;
        environment.violation(`explain rejected: ${String(error)}`);
      });
      return;
    }
    case "task":
      return askFor((op.there ? there : here) as Host, hosts, op);
    case "drain": {
      const to = (op.there ? there : here) as Host;
      to.isDraining = true;
      return void environment.expected("drain", to.executor.drain({ graceMs: op.ms }));
    }
    case "revoke":
      return void (async () => {
        for (const { id } of await host.executor.grants.list()) {
          await host.executor.grants.revoke(id);
        }
      })().catch(() => {});
    case "change":
      return host.far.set(...host.far.tools().slice(op.there ? 0 : 1));
  }
}

function getRun({ runs }: Host, at: number): ToolRun {
  return runs[at] as ToolRun;
}

function toCall({ environment, toolNames }: Host, { tool, sent }: CallPlan): ToolCall {
  return {
    id: `c${environment.next()}`,
    name: tool === noTool ? "nothing" : (toolNames[tool % toolNames.length] as string),
    arguments: sentArguments(sent) as JsonObject,
  };
}

function toOptions({ environment }: Host, { timeoutMs, deadlineMs, abortAfterMs }: OptionsPlan) {
  const signal = abortAfterMs === undefined ? undefined : environment.signal(abortAfterMs);
  return defined({ timeoutMs, deadlineMs, signal }) as CallOptions;
}

function toManyOptions(
  host: Host,
  { strategy, maxConcurrency, stopWhen, skips, options }: ManyPlan,
) {
  const steers: ExecuteAllOptions["stopWhen"] = ({ remaining }) => {
    switch (stopWhen) {
      case "acts":
        return `Stop ${remaining.length}.`;
      case "throws":
        throw new Error(secret);
      case "hangs":
        return new Promise(() => {});
      case "slow":
        return host.environment.wait(6).then(() => undefined);
      case "garbage":
        return 5 as never;
      default:
        return undefined;
    }
  };
  return {
    strategy: typeof strategy === "string" ? strategy : { ...strategy },
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(stopWhen === "none" ? {} : { stopWhen: steers }),
    duplicates: skips ? ("skip" as const) : ("run" as const),
    ...toOptions(host, options),
    // Steering that never answers is ended only by this.
    signal: host.environment.signal(options.abortAfterMs),
  };
}

async function all(host: Host, op: ManyPlan): Promise<void> {
  const calls = op.calls.map((one) => toCall(host, one));
  const going = getRun(host, op.run).executeAll(calls, toManyOptions(host, op));
  const outcomes = await host.environment.expected("executeAll", going);
  if (outcomes.length !== calls.length) host.environment.violation("executeAll lost an outcome");
  for (const [at, { id }] of calls.entries()) {
    const outcome = outcomes[at];
    if (outcome !== undefined) host.note(outcome, id);
  }
}

async function stream(host: Host, op: Extract<Op, { op: "stream" }>): Promise<void> {
  const calls = op.calls.map((one) => toCall(host, one));
  const seen = new Set<number>();
  if (op.breakAfter === 0) {
    // The first outcome is not requested: nothing starts.
    void getRun(host, op.run).stream(calls, toManyOptions(host, op));
    return;
  }
  for await (const { index, call, outcome } of getRun(host, op.run).stream(
    calls,
    toManyOptions(host, op),
  )) {
    if (seen.has(index)) host.environment.violation("a stream returned a call twice");
    seen.add(index);
    if (call.id !== calls[index]?.id) host.environment.violation("a stream returned another call");
    host.note(outcome, call.id);
    if (op.breakAfter !== undefined && seen.size >= op.breakAfter) return;
  }
  if (seen.size !== calls.length) host.environment.violation("a stream lost an outcome");
}

async function checkAdmission(
  host: Host,
  op: Extract<Op, { op: "checkAdmission" }>,
): Promise<void> {
  const call = toCall(host, op.call);
  const run = getRun(host, op.run);
  const options = toOptions(host, op.options);
  const outcome = await run.checkAdmission(call, options);
  if (outcome !== undefined) return host.note(outcome, call.id);
  await host.environment.wait(op.ms);
  for (let time = 0; time < op.times; time++) {
    // One after the other: made twice at once they would be two calls of one id.
    await host.outcome(run.execute(call, options), call.id, "execute after checkAdmission");
  }
}

function resume(
  host: Host,
  interruption: Interruption,
  answers: readonly Answer[],
  isTampered = false,
  run?: ToolRun,
  options?: OptionsPlan,
): void {
  const { environment, executor, isDraining } = host;
  const callId = (interruption as Interruption | null)?.call?.id ?? "";
  const isNo =
    !isTampered && answers[0]?.type === "reject" && !environment.suspended.has(interruption.id);
  const going = host.resuming(callId, () =>
    executor.resume(interruption, answers, {
      signal: environment.signal(options?.abortAfterMs),
      injected: { tenant: secret },
      ...(run === undefined ? {} : { run }),
    }),
  );
  void host.outcome(going, callId, "resume", true).then((outcome) => {
    if (outcome.status === "failed") return;
    if (isTampered) environment.violation("a forgery was accepted");
    if (isDraining) environment.violation("a draining executor resumed a call");
    if (isNo) environment.violation(`${callId} was rejected, and ${outcome.status}`);
  });
}

function tampered(interruption: Interruption, how: ResumePlan["tamper"]): Interruption {
  const { state } = interruption;
  switch (how) {
    case "none":
      return JSON.parse(JSON.stringify(interruption)) as Interruption;
    case "arguments":
      return { ...interruption, call: { ...interruption.call, arguments: { n: 666 } } };
    case "id":
      return { ...interruption, id: "00000000-0000-4000-8000-999999999999" };
    case "expires":
      return { ...interruption, expiresAt: interruption.expiresAt + 1 };
    case "state":
      return { ...interruption, state: `${state.slice(0, 40)}AAAA${state.slice(44)}` };
    case "nothing":
      return null as never;
  }
}

function answersFor({ requests }: Interruption, kind: AnswerKind): readonly Answer[] {
  switch (kind) {
    case "right":
      return requests.map((request) => ({ ...rightAnswer(request), requestId: request.id }));
    case "approve":
      return [{ type: "approve", by: "ada" }];
    case "reject":
      return [{ type: "reject", reason: "no" }];
    case "edited":
      return [{ type: "approve", arguments: { n: 2 } }];
    case "session":
    case "always":
      return [{ type: "approve", grant: kind }];
    case "any":
      return [{ type: "approve", grant: { scope: "session", arguments: "any" } }];
    case "input":
      return [{ type: "input", value: 7 }];
    case "none":
      return [];
    case "otherId":
      return [{ type: "approve", requestId: "another" }];
    case "garbage":
      return [null, { type: "maybe" }, 5] as never;
  }
}

function rightAnswer({ type }: InterruptionRequest): Answer {
  if (type === "approval") return { type: "approve", by: "ada" };
  return type === "result" ? { type: "result", value: { n: 1 } } : { type: "input", value: 7 };
}
