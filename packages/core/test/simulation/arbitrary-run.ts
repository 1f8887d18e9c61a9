import fc from "fast-check";
import { noTool } from "./plan.ts";
import type {
  CallPlan,
  Fault,
  HookPlan,
  HostDoes,
  HostPlan,
  LayerPlan,
  Op,
  OptionsPlan,
  Plan,
  RunPlan,
  Step,
  ToolPlan,
} from "./plan.ts";

// Each of many things may go wrong, so most of them must go well, or no call would ever start.
/** One time out of six. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  often(undefined, arbitrary);
const often = <T, U>(usual: T, arbitrary: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary });
/** The first, five times out of six. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  often(usual, fc.constantFrom(...others));
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(fc.constant(undefined), arbitrary);
const ms = fc.constantFrom(0, 1, 5, 20, 40);
const few = maybe(fc.integer({ min: 1, max: 3 }));
const aRun = fc.constantFrom(0, 1);
const aTool = fc.constantFrom(0, 1, 2, 3, 4);

const call = fc.record<CallPlan>({
  tool: fc.oneof({ weight: 30, arbitrary: aTool }, { weight: 1, arbitrary: fc.constant(noTool) }),
  sent: often<CallPlan["sent"], CallPlan["sent"]>(
    "right",
    fc.constantFrom<CallPlan["sent"][]>(
      ...(["other", "text", "malformed", "deep", "wrong", "extra", "injected", "fenced"] as const),
      ...(["envelope", "proto", "cyclic", "infinite", "unreadable", "huge", "list"] as const),
    ),
  ),
});

type Waits = Extract<Step, { do: "wait" }>;
type Calls = Extract<Step, { do: "call" }>;
type Simple = Exclude<Step, Waits | Calls>;

const calls = fc.record<Calls>({
  do: fc.constant("call"),
  call,
  times: fc.integer({ min: 1, max: 2 }),
  narrow: mostly<Calls["narrow"]>("no", "deny", "ask", "function", "misuse"),
  only: mostly(false, true),
  awaited: mostly(true, false),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record<Waits>({ do: fc.constant("wait"), ms, listens: fc.boolean() }),
  fc.record<Simple>({
    do: fc.constantFrom<Simple["do"][]>(
      ...(["update", "update", "progress", "checkpoint", "mutate", "cancel", "abort"] as const),
    ),
  }),
  calls,
);

const anyTool = fc.record<ToolPlan>({
  from: fc.constantFrom<ToolPlan["from"][]>("own", "own", "trusted", "foreign"),
  steps: fc.array(step, { maxLength: 3 }),
  end: fc.constantFrom<ToolPlan["end"][]>(
    ...(["text", "text", "text", "number", "nothing", "blocks", "output", "big"] as const),
    ...(["isError", "mayPass", "cyclic", "bigint", "function", "generator"] as const),
    ...(["proxy", "thenable", "unreadable", "late", "lateCalls"] as const),
    ...(["throws", "throwsNothing", "throwsProxy", "throwsFlipping", "throwsCode"] as const),
    ...(["throwsRetryable", "throwsRetryable", "throwsRetryAfter"] as const),
    ...(["hangs", "abortable", "asksApproval", "asksAuth", "asksInput"] as const),
    ...(["asksResult", "asksTwo", "asksAgain", "asksBadly"] as const),
    ...(["passesOn", "passesOn", "forges", "answersItself"] as const),
  ),
  code: fc.constantFrom<ToolPlan["code"][]>(
    ...(["execution_failed", "auth_required", "upstream", "artifact_missing"] as const),
    ...(["cancelled", "permission_denied", "approval_rejected", "limit_exceeded"] as const),
    ...(["timeout", "invalid_configuration"] as const),
  ),
  asks: fc.constantFrom<ToolPlan["asks"][]>("never", "never", "never", "always", "sometimes"),
  preflight: often<ToolPlan["preflight"], ToolPlan["preflight"]>(
    "none",
    fc.constantFrom<ToolPlan["preflight"][]>(
      ...(["reads", "spends", "spends", "delegates", "runs", "many", "unsaid"] as const),
      ...(["throws", "hangs", "slow", "garbage"] as const),
    ),
  ),
  validate: mostly<ToolPlan["validate"]>("none", "passes", "refuses", "throws", "slow"),
  input: mostly<ToolPlan["input"]>("any", "number", "closed", "broken"),
  output: mostly<ToolPlan["output"]>("none", "kept", "violated", "broken", "warning"),
  injected: mostly<ToolPlan["injected"]>("none", "optional", "required"),
  hints: fc.constantFrom<ToolPlan["hints"][]>(
    ...(["none", "none", "reads", "idempotent", "destroys", "needsApproval", "spends"] as const),
  ),
  timeoutMs: fc.constantFrom(undefined, undefined, 0, 10, 50),
  attempts: fc.constantFrom(undefined, undefined, 2, 3),
  unavailable: fc.oneof(
    { weight: 30, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  execution: mostly<ToolPlan["execution"]>("inline", "task"),
});

/** A host that makes calls, and answers those that wait for a person. */
const delegating = fc
  .tuple(
    anyTool,
    fc.array(calls, { minLength: 1, maxLength: 2 }),
    fc.constantFrom<ToolPlan["end"][]>(
      "passesOn",
      "passesOn",
      "passesOn",
      "forges",
      "answersItself",
    ),
  )
  .map(([tool, steps, end]): ToolPlan => ({ ...tool, steps, end }));

const tool = fc.oneof({ weight: 4, arbitrary: anyTool }, { weight: 1, arbitrary: delegating });

const faults: fc.Arbitrary<readonly Fault[]> = often<readonly Fault[], readonly Fault[]>(
  [],
  fc.array(fc.constantFrom<Fault[]>("now", "now", "later", "slow", "throws", "hangs"), {
    minLength: 1,
    maxLength: 4,
  }),
);

const hostDoes = ["passes", "acts", "throws", "hangs", "slow", "garbage"] as const;

const hook = fc.record<HookPlan>({
  into: fc.constantFrom<HookPlan["into"][]>("before", "around", "after", "updates"),
  does: fc.constantFrom<HostDoes[]>("passes", "passes", "passes", "passes", "acts", ...hostDoes),
  when: mostly<HookPlan["when"]>("all", "none", "none", "throws"),
  priority: fc.integer({ min: -1, max: 1 }),
  timeoutMs: fc.constantFrom(undefined, undefined, 0, 15),
});

type Rules = Extract<LayerPlan, { layer: "rules" }>;
type Decides = Extract<LayerPlan, { layer: "function" }>;
type Preset = Exclude<LayerPlan, Rules | Decides>;

const layer: fc.Arbitrary<LayerPlan> = fc.oneof(
  fc.record<Preset>({
    layer: fc.constantFrom<Preset["layer"][]>(
      ...(["supervised", "supervised", "autonomous", "autonomous", "autonomous"] as const),
      ...(["readOnly", "strict"] as const),
    ),
  }),
  fc.record<Rules>({
    layer: fc.constant("rules"),
    effect: fc.constantFrom<Rules["effect"][]>("allow", "ask", "deny"),
    on: fc.constantFrom<Rules["on"][]>("tool", "tool", "permission", "caller", "hint", "foreign"),
    tool: aTool,
    always: fc.boolean(),
  }),
  fc.record<Decides>({
    layer: fc.constant("function"),
    answers: fc.constantFrom<Decides["answers"][]>(
      ...(["allow", "allow", "allow", "ask", "deny", "nothing"] as const),
      ...(["throws", "garbage", "slow", "hangs"] as const),
    ),
  }),
);

const host = fc.record<HostPlan>({
  policy: fc.oneof(
    { weight: 3, arbitrary: fc.constant<LayerPlan[]>([{ layer: "autonomous" }]) },
    { weight: 3, arbitrary: fc.constant<LayerPlan[]>([{ layer: "supervised" }]) },
    { weight: 1, arbitrary: fc.array(layer, { minLength: 1, maxLength: 3 }) },
  ),
  onAsk: mostly<HostPlan["onAsk"]>(
    "interrupt",
    ...(["deny", "approves", "grants", "rejects", "throws", "hangs", "slow", "garbage"] as const),
  ),
  hooks: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(hook, { minLength: 1, maxLength: 3 }) },
  ),
  hookTimeoutMs: fc.constantFrom(30, 30, 0),
  retries: maybe(fc.record({ attempts: fc.integer({ min: 1, max: 3 }), any: fc.boolean() })),
  concurrency: maybe(
    fc.record({ max: few, perTool: few, perSource: few, exclusive: fc.boolean() }),
  ),
  rate: seldom(
    fc.record({
      calls: fc.constantFrom(8, 4, 2, 0),
      spend: maybe(fc.constantFrom(20, 8, 4, 0)),
      windowMs: fc.constantFrom(50, 5000),
      per: fc.constantFrom("tool", "source", "caller", "all"),
    }),
  ),
  audit: mostly<HostPlan["audit"]>("none", "optional", "required"),
  faults: fc.record({
    pending: faults,
    grants: faults,
    rates: faults,
    audit: faults,
    tasks: faults,
    artifacts: faults,
  }),
  normalises: fc.boolean(),
  repair: mostly<HostPlan["repair"]>("none", ...hostDoes),
  onInvalidCall: mostly<HostPlan["onInvalidCall"]>("return", "fail"),
  undeclared: mostly<HostPlan["undeclared"]>("schema", "strip", "reject"),
  maxOutputBytes: mostly(50_000, 300, 0),
  listener: seldom(
    fc.record({
      on: fc.constantFrom(
        ...(["tool.requested", "tool.authorized", "tool.started", "tool.retried"] as const),
        ...(["tool.completed", "tool.failed", "tool.interrupted", "tool.suspended"] as const),
        ...(["task.created", "task.input_required", "task.working", "task.completed"] as const),
      ),
      nth: fc.integer({ min: 1, max: 2 }),
      does: fc.constantFrom("throws", "cancels", "aborts", "calls"),
    }),
  ),
});

const run = fc.record<RunPlan>({
  caller: maybe(fc.constantFrom("ada", "bob")),
  session: maybe(fc.constant("s")),
  only: mostly<number | undefined>(undefined, 0, 2),
  limits: maybe(
    fc.record({
      calls: seldom(fc.constantFrom(5, 3, 1, 0)),
      callsPerTool: seldom(fc.constantFrom(3, 2, 1, 0)),
      spend: maybe(fc.constantFrom(20, 9, 4, 0)),
      identicalCalls: seldom(fc.constantFrom(2, 1)),
      durationMs: seldom(fc.constantFrom(1000, 200, 30, 0)),
    }),
  ),
});

const options = fc.record<OptionsPlan>({
  timeoutMs: mostly<number | undefined>(undefined, 5, 30),
  deadlineMs: mostly<number | undefined>(undefined, 200, 60, 60, 15, 15, 0),
  abortAfterMs: mostly<number | undefined>(undefined, 35, 35, 10, 10, 0),
});

const many = {
  run: aRun,
  calls: fc.array(call, { minLength: 1, maxLength: 5 }),
  strategy: fc.constantFrom("parallel" as const, "sequential" as const, { batched: 2 }),
  maxConcurrency: few,
  stopWhen: mostly<HostDoes | "none">("none", ...hostDoes),
  skips: fc.boolean(),
  options,
};

/** The plan of an operation. */
type Kind<K extends Op["op"], O = Op> = O extends { op: infer Ops }
  ? K extends Ops
    ? O
    : never
  : never;

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record<Kind<"execute">>({
      op: fc.constant("execute"),
      run: aRun,
      call,
      options,
      direct: mostly(false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record<Kind<"all">>({ op: fc.constant("all"), ...many }) },
  {
    weight: 2,
    arbitrary: fc.record<Kind<"stream">>({
      op: fc.constant("stream"),
      ...many,
      breakAfter: fc.constantFrom(undefined, undefined, 0, 1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record<Kind<"checkAdmission">>({
      op: fc.constant("checkAdmission"),
      run: aRun,
      call,
      options,
      ms,
      times: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record<Kind<"resume">>({
      op: fc.constant("resume"),
      which: fc.constantFrom(0, 1, 2, 3),
      answer: fc.constantFrom<Kind<"resume">["answer"][]>(
        ...(["right", "right", "right", "approve", "reject", "edited", "session"] as const),
        ...(["always", "any", "input", "none", "otherId", "garbage"] as const),
      ),
      tamper: mostly<Kind<"resume">["tamper"]>(
        "none",
        ...(["arguments", "id", "expires", "state", "nothing"] as const),
      ),
      there: mostly(false, true),
      inRun: seldom(aRun),
      times: fc.constantFrom(1, 1, 2),
      options,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record<Kind<"cancel">>({
      op: fc.constantFrom<Kind<"cancel">["op"][]>("nextTurn", "cancel", "dispose"),
      run: aRun,
      only: seldom(aTool),
    }),
  },
  { weight: 1, arbitrary: fc.record<Kind<"explain">>({ op: fc.constant("explain"), call }) },
  {
    weight: 1,
    arbitrary: fc.record<Kind<"task">>({
      op: fc.constant("task"),
      does: fc.constantFrom<Kind<"task">["does"][]>("status", "result", "cancel", "cancel", "list"),
      which: fc.constantFrom(0, 1, 2),
      ms,
      there: mostly(false, true),
      owns: mostly(true, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record<Kind<"drain">>({
      op: fc.constantFrom<Kind<"drain">["op"][]>("revoke", "change", "revoke", "change", "drain"),
      ms: fc.constantFrom(0, 20, 60),
      there: fc.boolean(),
    }),
  },
);

/** Any life of an executor, in any form. */
export const arbitraryRun: fc.Arbitrary<Plan> = fc.record<Plan>({
  tools: fc.array(tool, { minLength: 2, maxLength: 5 }),
  host,
  loads: mostly<Plan["loads"]>("at once", "later", "later", "never"),
  runs: fc.tuple(run, run),
  ops: fc.array(fc.record({ what: op, waitMs: fc.constantFrom(0, 0, 1, 10, 45) }), {
    minLength: 1,
    maxLength: 8,
  }),
  lastWord: fc.constantFrom<Plan["lastWord"][]>("right", "reject", "none"),
  sharesStore: fc.boolean(),
  random: fc.nat(0xffff_ffff),
});
