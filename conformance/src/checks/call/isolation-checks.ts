import type { CallOptions, RunOptions, Tool, ToolContext } from "@toolweave/core";
import type { InjectedParameter } from "@toolweave/core/adapter";
import { isDeterministic, comparableText } from "../../execution/call-result.ts";
import { formatCall, createExecutor, runSample, overrideTool } from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { SampleCall } from "../../contract/manifest.ts";
import { drawSubset } from "../../schema/generation-settings.ts";

/** The maximum number of calls that are made for two runs. */
const maxCalls = 20;

/** The runs of two callers. */
const runs: readonly (RunOptions & CallOptions)[] = [
  { sessionId: "s1", caller: { id: "ada" } },
  { sessionId: "s2", caller: { id: "grace" } },
];

const done = "Made each sample call for two runs, one after the other and concurrently";

/** Checks of whether calls keep their runs apart. */
export const isolationChecks: readonly Check[] = [
  defineCheck("TW-CALL-016", (context) =>
    checkReadCalls(context, ({ tool, alone, together }) => {
      const declared = new Set(declaredParameters(tool).map(({ name }) => name));
      const stale = findStaleRead(alone, together, (parts) => new Set(readNames(parts)), declared);
      return (
        stale && {
          wrong: `uses "${stale.name}" of ${stale.whose} run: read ctx.injected in each call, and make it part of cache keys`,
          seen: stale.seen,
        }
      );
    }),
  ),

  defineCheck("TW-CALL-017", async (context) => {
    const { injected = {} } = context.manifest;
    return checkReadCalls(context, ({ tool, alone, together }, calls) => {
      const declared = declaredParameters(tool);
      const names = new Set(declared.map(({ name }) => name));
      const read = new Set([...alone, ...together].flatMap((parts) => [...parts.injected]));
      const copied = new Set(alone.flatMap((parts) => [...parts.copied]));
      // A value that is not plain cannot come from a model; copying all values reads none in
      // particular.
      const undeclared = [...read].find(
        (name) => isPlain(injected[name]) && !names.has(name) && !copied.has(name),
      );
      if (undeclared !== undefined) {
        const wrong = `reads ctx.injected.${undeclared} but does not declare it in spec.injected`;
        return { wrong, seen: [...read] };
      }
      const all = calls.filter((call) => call.tool === tool);
      const every = new Set(
        all.flatMap((call) => [...call.alone, ...call.together]).flatMap(readNames),
      );
      const unread = declared.find(
        ({ name, required }) => required !== false && name in injected && !every.has(name),
      );
      return (
        unread && {
          wrong: `requires the injected "${unread.name}" but never reads it: it uses the value of an earlier run, or does not need it`,
          seen: [...every],
        }
      );
    });
  }),

  defineCheck("TW-CALL-022", (context) =>
    checkReadCalls(context, ({ alone }) => {
      const changed = alone.flatMap((parts) => [...parts.changed]);
      return changed.length === 0
        ? undefined
        : {
            wrong: `changes ctx.injected.${changed[0]}, which other calls of the run also read`,
            seen: changed,
          };
    }),
  ),

  defineCheck("TW-CALL-023", (context) =>
    checkReadCalls(context, ({ alone, together, callerResults: answers }) => {
      const stale = findStaleRead(alone, together, ({ members: own }) => own);
      if (stale !== undefined) {
        const wrong = `reads ctx.${stale.name} only of ${stale.whose} run, and uses it for other callers`;
        return { wrong, seen: stale.seen };
      }
      if (answers === undefined) return undefined;
      return { wrong: "returns to one caller the result of another one", seen: answers };
    }),
  ),
];

type Pair = readonly [ContextReads, ContextReads];

/**
 * The values that a call read when it was made for two runs, with a source that nothing else has
 * used.
 */
interface ReadCall {
  readonly label: string;
  readonly tool: Tool;
  readonly alone: Pair;
  /** The repetition with concurrent calls. */
  readonly together: Pair;
  /** The results, if a caller received the result of another one. */
  readonly callerResults?: CallerResults;
}

/** The results of two callers with one source, and those of each with a new source. */
interface CallerResults {
  readonly oneAfterTheOther: readonly [first: string, second: string];
  readonly concurrently: readonly [first: string, second: string];
  readonly alone: readonly [first: string, second: string];
}

async function checkReadCalls(
  context: CheckContext,
  findFault: (call: ReadCall, calls: readonly ReadCall[]) => Fault | undefined,
): Promise<Finding> {
  const calls = await memoizePerRun(context, "what calls read of their runs", () =>
    makeReadCalls(context),
  );
  return calls.length === 0
    ? notApplicable("There is no tool for the sample calls.")
    : checkEach(calls, done, (call) => findFault(call, calls));
}

async function makeReadCalls(context: CheckContext): Promise<readonly ReadCall[]> {
  const tools = (await context.createReady()).callableTools();
  const made: ReadCall[] = [];
  for (const call of drawSubset(context.samples("succeedingCalls"), maxCalls, context.seed)) {
    const tool = tools.find(({ spec }) => spec.name === call.tool);
    if (tool === undefined) continue;
    const first = await recordReadParts(context, tools, call, 0);
    const second = await recordReadParts(context, tools, call, 1);
    const together = await Promise.all([
      recordReadParts(context, tools, call, 0),
      recordReadParts(context, tools, call, 1),
    ]);
    const label = formatCall(call);
    const asks = first.members.size + second.members.size > 0;
    const answers = asks ? await compareCallers(context, call) : undefined;
    made.push({
      label,
      tool,
      alone: [first, second],
      together,
      ...(answers === undefined ? {} : { callerResults: answers }),
    });
  }
  return made;
}

async function compareCallers(
  context: CheckContext,
  call: SampleCall,
): Promise<CallerResults | undefined> {
  const answer = async (tools: readonly Tool[], run: number): Promise<string> =>
    comparableText(
      await runSample(context, createExecutor(tools), call, runs[run]).catch(formatError),
    );
  const alone = async (run: number): Promise<string> =>
    answer((await context.createReady()).callableTools(), run);
  const shared = (await context.createReady()).callableTools();
  const first = await answer(shared, 0);
  const next = await answer(shared, 1);
  const together = await Promise.all([answer(shared, 0), answer(shared, 1)]);
  if (next !== first && together[0] !== next && together[1] !== first) return undefined;
  const nextAlone = await alone(1);
  if (nextAlone === first) return undefined;
  // Only the caller may affect the result.
  const isOfCaller =
    (await isDeterministic(first, () => alone(0))) &&
    (await isDeterministic(nextAlone, () => alone(1)));
  if (!isOfCaller) return undefined;
  return {
    oneAfterTheOther: [first, next],
    concurrently: together,
    alone: [first, nextAlone],
  };
}

async function recordReadParts(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  run: number,
): Promise<ContextReads> {
  const parts = createContextReads();
  const executor = createExecutor(recordContextReads(tools, parts));
  // Other rules check the result.
  await runSample(context, executor, call, runs[run]).catch(() => {});
  return parts;
}

/**
 * Finds a name that the call of one run read and the same call of another run did not, so that it
 * uses the first run's value.
 */
function findStaleRead(
  [first, second]: Pair,
  together: Pair,
  of: (parts: ContextReads) => ReadonlySet<string>,
  among?: ReadonlySet<string>,
): { readonly name: string; readonly whose: string; readonly seen: unknown } | undefined {
  const wanted = (parts: ContextReads): string[] =>
    [...of(parts)].filter((name) => among?.has(name) ?? true);
  for (const name of wanted(first)) {
    if (!of(second).has(name)) {
      return { name, whose: "the first", seen: { first: wanted(first), second: wanted(second) } };
    }
    const [one, other] = together;
    // A call with a cached result of its own need not read it again.
    if (of(one).has(name) !== of(other).has(name)) {
      const seen = { one: wanted(one), other: wanted(other) };
      return { name, whose: "another", seen };
    }
  }
  return undefined;
}

/** The declared injected values. TW-SPEC-014 reports a value that is not a list. */
function declaredParameters({ spec }: Tool): readonly InjectedParameter[] {
  return Array.isArray(spec.injected) ? spec.injected : [];
}

function readNames({ injected, copied }: ContextReads): string[] {
  return [...injected, ...copied];
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The parts of its run's context that a call read. */
interface ContextReads {
  /** The names of injected values that it read. */
  readonly injected: Set<string>;
  /** The names of injected values that it copied with all others. */
  readonly copied: Set<string>;
  /** The members of its context that it read: `caller`, `sessionId`. */
  readonly members: Set<string>;
  /** The names of injected values that it set or deleted. */
  readonly changed: Set<string>;
}

const contextMembers: readonly string[] = ["caller", "sessionId"];

/** Creates an empty record. */
function createContextReads(): ContextReads {
  return { injected: new Set(), copied: new Set(), members: new Set(), changed: new Set() };
}

/** Wraps tools so that `parts` records what they read of their run. */
function recordContextReads(tools: readonly Tool[], parts: ContextReads): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, { invoke: (args, ctx) => tool.invoke(args, wrapContext(ctx, parts)) }),
  );
}

/** A proxy of the context; its methods still receive the context itself as `this`. */
function wrapContext(ctx: ToolContext, parts: ContextReads): ToolContext {
  return new Proxy(ctx, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (contextMembers.includes(String(name))) parts.members.add(String(name));
      const isInjected = name === "injected" && typeof value === "object" && value !== null;
      return isInjected ? wrapInjected(value, parts) : value;
    },
  });
}

function wrapInjected(injected: object, parts: ContextReads): object {
  const { injected: read, copied, changed } = parts;
  return new Proxy(injected, {
    get(target, name) {
      if (Object.hasOwn(target, name)) read.add(String(name));
      return Reflect.get(target, name, target) as unknown;
    },
    ownKeys(target) {
      for (const name of Object.keys(target)) copied.add(name);
      return Reflect.ownKeys(target);
    },
    set(target, name, value) {
      changed.add(String(name));
      return Reflect.set(target, name, value);
    },
    deleteProperty(target, name) {
      changed.add(String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
}
