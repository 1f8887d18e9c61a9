import type { ToolOutcome } from "@toolweave/core";
import { isAlwaysSame } from "../calling/always-same.ts";
import {
  ArtifactProbe,
  promisedBytes,
  showingExecutor,
  storingExecutor,
  wholeBytes,
} from "../calling/large-calls.ts";
import { answerText, outcomeLabel, succeeded } from "../execution/outcome.ts";
import { callLabel, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { LargeCall } from "../contract/manifest.ts";
import { textsOf } from "../reading/returned-output.ts";
import { typeFault } from "../reading/stored-type.ts";
import { once } from "../context/once.ts";
import { watchGiven } from "../watching/given.ts";
import { streamChecks } from "./stream-checks.ts";

/** A text of base64 that is no longer than this may be a key or a hash. */
const longBase64 = 10_000;

/** What becomes of large and binary outputs. */
export const largeChecks: readonly Check[] = [
  check("TW-LARGE-001", (context) =>
    lookAtMade(context, "Counted the bytes of each large output", ({ first, call }) =>
      wholeFault(first, call, ""),
    ),
  ),

  check("TW-LARGE-002", (context) =>
    lookAtMade(context, "Made each large call twice", ({ second, call }) =>
      wholeFault(second, call, " the second time"),
    ),
  ),

  check("TW-LARGE-003", async (context) => {
    const executor = showingExecutor((await context.fresh()).callable());
    const calls = context.samples("largeCalls");
    const alone = new Map<LargeCall, string>();
    for (const call of calls) {
      alone.set(call, answerText(await runSample(context, executor, call)));
    }
    const atOnce = await Promise.all(
      [...calls, ...calls].map(async (call) => ({
        call,
        answer: answerText(await runSample(context, executor, call)),
      })),
    );
    return lookAtCalls(
      context,
      "Made all large calls at the same time, each twice",
      async (call) => {
        const usual = alone.get(call);
        const other = atOnce.find(({ call: one, answer }) => one === call && answer !== usual);
        if (usual === undefined || other === undefined) return undefined;
        const again = async (): Promise<string> =>
          answerText(await runSample(context, executor, call));
        if (!(await isAlwaysSame(usual, again))) return undefined;
        return {
          wrong: "answers otherwise when other large calls are made at the same time",
          seen: difference(usual, other.answer),
        };
      },
    );
  }),

  check("TW-LARGE-006", async (context) => {
    const probe = new ArtifactProbe();
    const executor = storingExecutor([...(await context.fresh()).callable(), probe.tool]);
    return lookAtCalls(context, "Read what each large call stored", async (call) => {
      const outcome = await runSample(context, executor, call);
      for (const ref of succeeded(outcome)?.artifacts ?? []) {
        const wrong = typeFault(await probe.read(context, executor, ref), ref);
        if (wrong !== undefined) return { wrong, seen: ref };
      }
      return undefined;
    });
  }),

  check("TW-LARGE-007", (context) =>
    lookAtMade(context, "Measured what each large call tells the host", ({ first, call }) =>
      first.told >= promisedBytes(call)
        ? {
            wrong: "holds all of its output in details or provider, too",
            seen: `${first.told} bytes`,
          }
        : undefined,
    ),
  ),

  check("TW-LARGE-008", (context) =>
    lookAtMade(context, "Looked for base64 in each large text", ({ first: { encoded } }) =>
      encoded === undefined
        ? undefined
        : {
            wrong:
              "answers with bytes in base64 as a text: return the bytes, or a block that holds them",
            seen: encoded,
          },
    ),
  ),

  ...streamChecks,
];

function lookAtCalls(
  context: CheckContext,
  done: string,
  faultOf: (call: LargeCall) => Fault | undefined | Promise<Fault | undefined>,
): Promise<Finding> {
  return checkEach(labelled(context.samples("largeCalls")), done, ({ call }) => faultOf(call));
}

/** What was seen of a large output; the output itself is not kept. */
interface Seen {
  /** What came instead of a success. */
  readonly failure?: string;
  readonly bytes: number;
  readonly isCut: boolean;
  /** Bytes of what only the host is told. */
  readonly told: number;
  /** The beginning of a text that is bytes in base64. */
  readonly encoded?: string;
}

/** A large call that was made twice. */
interface Made {
  readonly label: string;
  readonly call: LargeCall;
  readonly first: Seen;
  readonly second: Seen;
}

/** Looks at each large call; they are made once for all rules. */
async function lookAtMade(
  context: CheckContext,
  done: string,
  faultOf: (made: Made) => Fault | undefined,
): Promise<Finding> {
  return checkEach(await once(context, "large calls", () => makeAll(context)), done, faultOf);
}

async function makeAll(context: CheckContext): Promise<readonly Made[]> {
  let returned: unknown;
  const tools = watchGiven((await context.fresh()).callable(), (given) => {
    if ("returned" in given) ({ returned } = given);
  });
  const executor = storingExecutor(tools);
  const make = async (call: LargeCall): Promise<Seen> => {
    returned = undefined;
    try {
      return seenOf(await runSample(context, executor, call), returned);
    } catch (late) {
      return { failure: messageOf(late), bytes: 0, isCut: false, told: 0 };
    }
  };
  const made: Made[] = [];
  for (const call of context.samples("largeCalls")) {
    const first = await make(call);
    made.push({ label: callLabel(call), call, first, second: await make(call) });
  }
  return made;
}

function seenOf(outcome: ToolOutcome, returned: unknown): Seen {
  const result = succeeded(outcome);
  if (result === undefined) {
    return { failure: outcomeLabel(outcome), bytes: 0, isCut: false, told: 0 };
  }
  const { details, provider, artifacts } = result;
  const encoded = textsOf({ returned }).find(isEncoded);
  return {
    bytes: wholeBytes(result),
    isCut: artifacts.some(({ truncated }) => truncated),
    told: JSON.stringify({ details, provider }).length,
    ...(encoded === undefined ? {} : { encoded: encoded.slice(0, 80) }),
  };
}

/** @param when the end of the sentence. */
function wholeFault(
  { failure, bytes, isCut }: Seen,
  call: LargeCall,
  when: string,
): Fault | undefined {
  if (failure !== undefined) return { wrong: `should succeed and does not${when}`, seen: failure };
  const promised = promisedBytes(call);
  return bytes >= promised || isCut
    ? undefined
    : {
        wrong: `gives less than the ${promised} bytes that the manifest says it has${when}`,
        seen: `${bytes} bytes`,
      };
}

function difference(usual: string, other: string): object {
  let at = 0;
  while (at < usual.length && usual[at] === other[at]) at += 1;
  const from = Math.max(0, at - 20);
  return {
    alone: `…${usual.slice(from, at + 100)}`,
    together: `…${other.slice(from, at + 100)}`,
  };
}

/** One long word of base64: with letters of both cases and digits, as bytes have. */
function isEncoded(text: string): boolean {
  return (
    text.length >= longBase64 &&
    text.length % 4 === 0 &&
    /^[A-Za-z0-9+/]*={0,2}$/.test(text) &&
    [/[A-Z]/, /[a-z]/, /[0-9]/].every((some) => some.test(text))
  );
}
