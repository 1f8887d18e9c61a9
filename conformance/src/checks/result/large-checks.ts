import type { ToolOutcome } from "@toolweave/core";
import {
  isDeterministic,
  comparableText,
  formatOutcome,
  successfulResult,
} from "../../execution/call-result.ts";
import {
  ArtifactProbe,
  expectedBytes,
  createInlineExecutor,
  createStoringExecutor,
  countResultBytes,
} from "../../calls/large-calls.ts";
import { formatCall, labelCalls, runSample } from "../../execution/run-sample.ts";
import { defineCheck, memoizePerRun, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { LargeCall } from "../../contract/manifest.ts";
import { getTexts } from "../../faults/returned-output.ts";
import { findArtifactTypeFault } from "../../faults/block-faults.ts";
import { observeAnswers } from "../../observation/tool-observer.ts";
import { streamChecks } from "./stream-checks.ts";

/** The maximum length of a base64 text that may be a key or a hash. */
const maxShortBase64Length = 10_000;

/** Checks of large and binary outputs. */
export const largeChecks: readonly Check[] = [
  defineCheck("TW-LARGE-001", (context) =>
    checkCallPairs(context, "Counted the bytes of each large output", ({ first, call }) =>
      findMissingBytes(first, call, ""),
    ),
  ),

  defineCheck("TW-LARGE-002", (context) =>
    checkCallPairs(context, "Made each large call twice", ({ second, call }) =>
      findMissingBytes(second, call, " the second time"),
    ),
  ),

  defineCheck("TW-LARGE-003", async (context) => {
    const executor = createInlineExecutor((await context.createReady()).callableTools());
    const calls = context.samples("largeCalls");
    const alone = new Map<LargeCall, string>();
    for (const call of calls) {
      alone.set(call, comparableText(await runSample(context, executor, call)));
    }
    const atOnce = await Promise.all(
      [...calls, ...calls].map(async (call) => ({
        call,
        answer: comparableText(await runSample(context, executor, call)),
      })),
    );
    return checkLargeCalls(
      context,
      "Made all large calls concurrently, each twice",
      async (call) => {
        const usual = alone.get(call);
        const other = atOnce.find(({ call: one, answer }) => one === call && answer !== usual);
        if (usual === undefined || other === undefined) return undefined;
        const again = async (): Promise<string> =>
          comparableText(await runSample(context, executor, call));
        if (!(await isDeterministic(usual, again))) return undefined;
        return {
          wrong: "has a different result when other large calls run at the same time",
          seen: findDifference(usual, other.answer),
        };
      },
    );
  }),

  defineCheck("TW-LARGE-006", async (context) => {
    const probe = new ArtifactProbe();
    const executor = createStoringExecutor([
      ...(await context.createReady()).callableTools(),
      probe.tool,
    ]);
    return checkLargeCalls(context, "Read the artifacts of each large call", async (call) => {
      const outcome = await runSample(context, executor, call);
      for (const ref of successfulResult(outcome)?.artifacts ?? []) {
        const wrong = findArtifactTypeFault(await probe.read(context, executor, ref), ref);
        if (wrong !== undefined) return { wrong, seen: ref };
      }
      return undefined;
    });
  }),

  defineCheck("TW-LARGE-007", (context) =>
    checkCallPairs(
      context,
      "Measured the details and provider of each large call",
      ({ first, call }) =>
        first.hostBytes >= expectedBytes(call)
          ? {
              wrong: "repeats its complete output in details or provider",
              seen: `${first.hostBytes} bytes`,
            }
          : undefined,
    ),
  ),

  defineCheck("TW-LARGE-008", (context) =>
    checkCallPairs(context, "Looked for base64 in each large text", ({ first: { encoded } }) =>
      encoded === undefined
        ? undefined
        : {
            wrong: "returns bytes as base64 text: return the bytes, or a block that contains them",
            seen: encoded,
          },
    ),
  ),

  ...streamChecks,
];

function checkLargeCalls(
  context: CheckContext,
  done: string,
  findFault: (call: LargeCall) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  return checkEach(labelCalls(context.samples("largeCalls")), done, ({ call }) => findFault(call));
}

/** The measurements of a large output; the output itself is not stored. */
interface MeasuredOutput {
  /** The result of a call that did not succeed. */
  readonly failure?: string;
  readonly bytes: number;
  readonly isCut: boolean;
  /** The number of bytes in the fields that only the host receives. */
  readonly hostBytes: number;
  /** The beginning of a base64 text. */
  readonly encoded?: string;
}

/** A large call that was made twice. */
interface LargeCallPair {
  readonly label: string;
  readonly call: LargeCall;
  readonly first: MeasuredOutput;
  readonly second: MeasuredOutput;
}

/** Checks each large call. The calls are made once for all rules. */
async function checkCallPairs(
  context: CheckContext,
  done: string,
  findFault: (made: LargeCallPair) => Fault | undefined,
): Promise<Finding> {
  return checkEach(
    await memoizePerRun(context, "large calls", () => makeCallPairs(context)),
    done,
    findFault,
  );
}

async function makeCallPairs(context: CheckContext): Promise<readonly LargeCallPair[]> {
  let returned: unknown;
  const tools = observeAnswers((await context.createReady()).callableTools(), (given) => {
    if ("returned" in given) ({ returned } = given);
  });
  const executor = createStoringExecutor(tools);
  const make = async (call: LargeCall): Promise<MeasuredOutput> => {
    returned = undefined;
    try {
      return measureOutput(await runSample(context, executor, call), returned);
    } catch (late) {
      return { failure: formatError(late), bytes: 0, isCut: false, hostBytes: 0 };
    }
  };
  const made: LargeCallPair[] = [];
  for (const call of context.samples("largeCalls")) {
    const first = await make(call);
    made.push({ label: formatCall(call), call, first, second: await make(call) });
  }
  return made;
}

function measureOutput(outcome: ToolOutcome, returned: unknown): MeasuredOutput {
  const result = successfulResult(outcome);
  if (result === undefined) {
    return { failure: formatOutcome(outcome), bytes: 0, isCut: false, hostBytes: 0 };
  }
  const { details, provider, artifacts } = result;
  const encoded = getTexts({ returned }).find(isBase64Text);
  return {
    bytes: countResultBytes(result),
    isCut: artifacts.some(({ truncated }) => truncated),
    hostBytes: JSON.stringify({ details, provider }).length,
    ...(encoded === undefined ? {} : { encoded: encoded.slice(0, 80) }),
  };
}

/** @param when the end of the message. */
function findMissingBytes(
  { failure, bytes, isCut }: MeasuredOutput,
  call: LargeCall,
  when: string,
): Fault | undefined {
  if (failure !== undefined) return { wrong: `should succeed but does not${when}`, seen: failure };
  const promised = expectedBytes(call);
  return bytes >= promised || isCut
    ? undefined
    : {
        wrong: `returns fewer than the ${promised} bytes that the manifest declares${when}`,
        seen: `${bytes} bytes`,
      };
}

function findDifference(usual: string, other: string): object {
  let at = 0;
  while (at < usual.length && usual[at] === other[at]) at += 1;
  const from = Math.max(0, at - 20);
  return {
    alone: `…${usual.slice(from, at + 100)}`,
    together: `…${other.slice(from, at + 100)}`,
  };
}

/** True for a long base64 text with digits and letters of both cases, as encoded bytes have. */
function isBase64Text(text: string): boolean {
  return (
    text.length >= maxShortBase64Length &&
    text.length % 4 === 0 &&
    /^[A-Za-z0-9+/]*={0,2}$/.test(text) &&
    [/[A-Z]/, /[a-z]/, /[0-9]/].every((some) => some.test(text))
  );
}
