import {
  ToolError,
  type Interruption,
  type ResumeOptions,
  type ToolErrorCode,
  type ToolOutcome,
} from "@toolweave/core";
import { call, tool } from "../support/executor-for.ts";
import { getInterruption } from "../support/outcomes.ts";
import type { Lab, Setup } from "./lab.ts";

/** One way to reach an exit. */
export interface Scenario {
  readonly stage: string;
  readonly how: string;
  /** The result: a code, or a status other than `failed`. */
  readonly exit: ToolErrorCode | "completed" | "interrupted";
  readonly event: string;
  readonly setup?: Setup;
  /** Makes the call, or resumes it. Default: makes it, and advances the time. */
  readonly act?: (lab: Lab) => Promise<ToolOutcome | undefined>;
  /**
   * The number of calls that wait for a person afterwards. Default: none, and 1 when it is
   * interrupted.
   */
  readonly pending?: number;
}

type Way = Omit<Scenario, "stage" | "exit" | "event">;

/** The ways to one exit. */
export function ways(
  stage: string,
  exit: Scenario["exit"],
  event: string,
  ...all: readonly Way[]
): readonly Scenario[] {
  return all.map((way) => ({ stage, exit, event: `tool.${event}`, ...way }));
}

export const never = (): Promise<never> => new Promise(() => {});

export const raise = (error: unknown): never => {
  throw error;
};

/** An error that may be temporary. */
export function busy(retryAfterMs?: number): never {
  throw new ToolError("unavailable", "Busy.", retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** A tool that needs approval. */
export const asking: Setup = {
  definition: { needsApproval: true },
  options: { policy: "supervised" },
};

const yes = [{ type: "approve" }] as const;

/** Answers a pending call. `before` may change the setup, or return another interruption. */
export function answered(
  answers: unknown = yes,
  before: (lab: Lab, interruption: Interruption) => unknown = () => undefined,
  options?: (lab: Lab) => ResumeOptions,
): NonNullable<Way["act"]> {
  return async (lab) => {
    const interruption = getInterruption(await lab.until(lab.execute()));
    lab.forget();
    const given = (await before(lab, interruption)) ?? interruption;
    return lab.until(
      lab.executor.resume(given as Interruption, answers as typeof yes, options?.(lab)),
    );
  };
}

/** Runs code while the call waits. */
export function meanwhile(
  act: (lab: Lab) => unknown,
  options?: { readonly deadlineMs?: number },
): NonNullable<Way["act"]> {
  return async (lab) => {
    const outcome = lab.execute(options);
    await lab.settle();
    await act(lab);
    return lab.until(outcome);
  };
}

export const cancel = ({ run }: Lab): void => run.cancel();
export const timePasses = ({ clock }: Lab): Promise<void> => clock.advance(60);

/** Another call holds the only slot for 500 ms. */
export function behindAnother(
  act: (lab: Lab) => unknown,
  options?: { readonly deadlineMs?: number },
): Pick<Way, "setup" | "act"> {
  return {
    setup: { others: [tool("holds", never, { timeoutMs: 500 })] },
    act: async (lab) => {
      const held = lab.executor.execute(call("holds"));
      await lab.settle();
      const outcome = await meanwhile(act, options)(lab);
      await lab.until(held, 1000);
      return outcome;
    },
  };
}

/** A running tool makes the call. */
export function within(
  make: (...given: Parameters<NonNullable<Setup["execute"]>>) => Promise<ToolOutcome> | undefined,
): Pick<Way, "setup" | "act"> {
  let made: Promise<ToolOutcome> | undefined;
  const outer = tool("outer", async (args, ctx) => {
    const nested = make(args, ctx);
    if (nested !== undefined) await (made = nested);
    else await ctx.scope.execute(call("outer", { n: Number(args["n"] ?? 0) + 1 }));
  });
  return {
    setup: { others: [outer] },
    act: async (lab) => {
      await lab.until(lab.run.execute(call("outer")));
      return made;
    },
  };
}
