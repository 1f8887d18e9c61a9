import type { CallOptions, InjectedParameter, RunOptions, Tool } from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import { answerText } from "../execution/outcome.ts";
import { callLabel, executorOver, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { SampleCall } from "../contract/manifest.ts";
import { once } from "../context/once.ts";
import { drawn } from "../schema/drawn.ts";
import { noParts, readingTools, type ReadParts } from "../watching/read-parts.ts";

/** How many calls are made for several runs. */
const mostCalls = 20;

/** On whose behalf a host makes calls. */
const runs: readonly (RunOptions & CallOptions)[] = [
  { sessionId: "s1", caller: { id: "ada" } },
  { sessionId: "s2", caller: { id: "grace" } },
];

const done = "Made each sample call for two runs, one after the other and side by side";

/** What calls make of what their runs are given. */
export const isolationChecks: readonly Check[] = [
  check("TW-CALL-016", (context) =>
    lookAtCalls(context, ({ tool, alone, together }) => {
      const declared = new Set(declaredOf(tool).map(({ name }) => name));
      const kept = forgotten(alone, together, (parts) => new Set(namesRead(parts)), declared);
      return (
        kept && {
          wrong: `goes on with "${kept.name}" of ${kept.whose} run: read ctx.injected in each call, and make it part of what a cache is asked by`,
          seen: kept.seen,
        }
      );
    }),
  ),

  check("TW-CALL-017", async (context) => {
    const { injected = {} } = context.manifest;
    return lookAtCalls(context, ({ tool, alone, together }, calls) => {
      const declared = declaredOf(tool);
      const names = new Set(declared.map(({ name }) => name));
      const read = new Set([...alone, ...together].flatMap((parts) => [...parts.injected]));
      const copied = new Set(alone.flatMap((parts) => [...parts.copied]));
      // What is no plain value a model could not send, and whoever copies all means none of them.
      const silent = [...read].find(
        (name) => isPlain(injected[name]) && !names.has(name) && !copied.has(name),
      );
      if (silent !== undefined) {
        const wrong = `reads ctx.injected.${silent} and does not declare it in spec.injected`;
        return { wrong, seen: [...read] };
      }
      const all = calls.filter((call) => call.tool === tool);
      const every = new Set(
        all.flatMap((call) => [...call.alone, ...call.together]).flatMap(namesRead),
      );
      const unread = declared.find(
        ({ name, required }) => required === true && name in injected && !every.has(name),
      );
      return (
        unread && {
          wrong: `needs the injected "${unread.name}" and never looks at it: what an earlier run injected is kept, or nobody needs it`,
          seen: [...every],
        }
      );
    });
  }),

  check("TW-CALL-022", (context) =>
    lookAtCalls(context, ({ alone }) => {
      const changed = alone.flatMap((parts) => [...parts.changed]);
      return changed.length === 0
        ? undefined
        : {
            wrong: `changes ctx.injected.${changed[0]}, which other calls of the run read, too`,
            seen: changed,
          };
    }),
  ),

  check("TW-CALL-023", (context) =>
    lookAtCalls(context, ({ alone, together, answers }) => {
      const kept = forgotten(alone, together, ({ own }) => own);
      if (kept !== undefined) {
        const wrong = `looks at ctx.${kept.name} of ${kept.whose} run alone, and answers other callers by it`;
        return { wrong, seen: kept.seen };
      }
      if (answers === undefined) return undefined;
      return { wrong: "gives one caller the answer that another one got before", seen: answers };
    }),
  ),
];

type Pair = readonly [ReadParts, ReadParts];

/** What a call read when it was made for two runs, by a source that nothing else has used. */
interface ReadCall {
  readonly label: string;
  readonly tool: Tool;
  readonly alone: Pair;
  /** Side by side, after that. */
  readonly together: Pair;
  /** Set when it gave a caller what is another's. */
  readonly answers?: CallersAnswers;
}

/** What two callers were answered one after the other, and what the second of them is answered alone. */
interface CallersAnswers {
  readonly first: string;
  readonly next: string;
  readonly nextAlone: string;
}

async function lookAtCalls(
  context: CheckContext,
  faultOf: (call: ReadCall, calls: readonly ReadCall[]) => Fault | undefined,
): Promise<Finding> {
  const calls = await once(context, "what calls read of their runs", () => readCalls(context));
  return calls.length === 0
    ? notApplicable("No sample call is of a tool that is there.")
    : checkEach(calls, done, (call) => faultOf(call, calls));
}

async function readCalls(context: CheckContext): Promise<readonly ReadCall[]> {
  const tools = (await context.fresh()).callable();
  const made: ReadCall[] = [];
  for (const call of drawn(context.samples("succeedingCalls"), mostCalls, context.seed)) {
    const tool = tools.find(({ spec }) => spec.name === call.tool);
    if (tool === undefined) continue;
    const first = await partsOf(context, tools, call, 0);
    const second = await partsOf(context, tools, call, 1);
    const together = await Promise.all([
      partsOf(context, tools, call, 0),
      partsOf(context, tools, call, 1),
    ]);
    const label = callLabel(call);
    const asks = first.own.size + second.own.size > 0;
    const answers = asks ? await callersAnswers(context, call) : undefined;
    made.push({
      label,
      tool,
      alone: [first, second],
      together,
      ...(answers === undefined ? {} : { answers }),
    });
  }
  return made;
}

async function callersAnswers(
  context: CheckContext,
  call: SampleCall,
): Promise<CallersAnswers | undefined> {
  const answer = async (tools: readonly Tool[], run: number): Promise<string> =>
    answerText(await runSample(context, executorOver(tools), call, runs[run]).catch(messageOf));
  const alone = async (run: number): Promise<string> =>
    answer((await context.fresh()).callable(), run);
  const shared = (await context.fresh()).callable();
  const first = await answer(shared, 0);
  const next = await answer(shared, 1);
  if (next !== first) return undefined;
  const nextAlone = await alone(1);
  if (nextAlone === first) return undefined;
  // Where the answer depends on who asks, and on nothing else.
  const isOfCaller =
    (await isAlwaysSame(first, () => alone(0))) && (await isAlwaysSame(nextAlone, () => alone(1)));
  return isOfCaller ? { first, next, nextAlone } : undefined;
}

async function partsOf(
  context: CheckContext,
  tools: readonly Tool[],
  call: SampleCall,
  run: number,
): Promise<ReadParts> {
  const parts = noParts();
  const executor = executorOver(readingTools(tools, parts));
  // What becomes of it is for other rules to say.
  await runSample(context, executor, call, runs[run]).catch(() => {});
  return parts;
}

/** What one run's call read, and another run's same call did not: it went on with what that had read. */
function forgotten(
  [first, second]: Pair,
  together: Pair,
  of: (parts: ReadParts) => ReadonlySet<string>,
  among?: ReadonlySet<string>,
): { readonly name: string; readonly whose: string; readonly seen: unknown } | undefined {
  const wanted = (parts: ReadParts): string[] =>
    [...of(parts)].filter((name) => among?.has(name) ?? true);
  for (const name of wanted(first)) {
    if (!of(second).has(name)) {
      return { name, whose: "the first", seen: { first: wanted(first), second: wanted(second) } };
    }
    const [one, other] = together;
    // Neither need read it again that has an answer of its own kept.
    if (of(one).has(name) !== of(other).has(name)) {
      const seen = { one: wanted(one), other: wanted(other) };
      return { name, whose: "another", seen };
    }
  }
  return undefined;
}

/** What is no list is for TW-SPEC-014 to say. */
function declaredOf({ spec }: Tool): readonly InjectedParameter[] {
  return Array.isArray(spec.injected) ? spec.injected : [];
}

function namesRead({ injected, copied }: ReadParts): string[] {
  return [...injected, ...copied];
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
