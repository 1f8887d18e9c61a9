import {
  suspend,
  text,
  ToolError,
  type Interruption,
  type InterruptionRequest,
  type JsonObject,
  type JsonValue,
  type ToolContext,
  type ToolErrorCode,
} from "@toolweave/core";
import type { Host } from "./host.ts";
import type { End, ToolPlan } from "./plan.ts";
import { thenable } from "./thenable.ts";
import { secret } from "./environment.ts";

/** The events of a tool in one attempt. */
export interface Attempt {
  readonly host: Host;
  readonly plan: ToolPlan;
  readonly at: number;
  readonly args: JsonObject;
  readonly ctx: ToolContext;
  readonly waiting: Interruption[];
}

/** Asks a person the questions of its nested calls. */
export function passOn(waiting: readonly Interruption[]): unknown {
  return suspend(
    waiting.flatMap(({ requests }) => requests),
    waiting as unknown as JsonValue,
  );
}

/** The value that a person is asked to type. */
export const question = (id: string): InterruptionRequest => ({
  id,
  type: "input",
  message: "How many?",
});
const approval = (id: string): InterruptionRequest => ({
  id,
  type: "approval",
  permission: { kind: "custom.more", target: "x", summary: "More of it" },
  reason: "the tool asks",
});

const raise = (error: unknown): never => {
  throw error;
};

/** An error whose fields can be read only a limited number of times. */
export function flipping(random: number, code: ToolErrorCode = "unavailable"): Error {
  const members = ["message", "code", "retryable", "retryAfterMs"] as const;
  let left = random % 3;
  return Object.defineProperty(
    new ToolError(code, "Now you see me."),
    members[random % 4] as string,
    { get: () => (left-- > 0 ? code : raise(new Error("Now you do not."))) },
  );
}

/** The end of an attempt: the return value or the error of the tool. */
export function ending(attempt: Attempt, end: End): unknown {
  const { host, plan, ctx, waiting } = attempt;
  const { environment } = host;
  switch (end) {
    case "text":
      return "fine";
    case "number":
      return 42;
    case "nothing":
      return undefined;
    case "blocks":
      return [text("a"), { type: "image", data: "AAAA", mimeType: "image/png" }];
    case "output":
      return {
        content: [text("an output")],
        value: { n: 1 },
        details: { secret },
        provider: { secret },
      };
    case "big":
      return "ä".repeat(60_000);
    case "isError":
      return { content: [text("no such thing")], isError: true };
    case "mayPass":
      return {
        content: [text("busy")],
        isError: true,
        error: new ToolError("unavailable", "Busy.", { cause: secret }),
      };
    case "cyclic": {
      const cycle: Record<string, unknown> = { n: 1 };
      cycle["self"] = cycle;
      return cycle;
    }
    case "bigint":
      return { big: 10n, when: new Date(Number.NaN), map: new Map([["a", 1]]) };
    case "function":
      return { run: () => 1, symbol: Symbol("x") };
    case "generator":
      return (async function* () {
        yield "one";
        await environment.wait(3);
        return "two";
      })();
    case "proxy":
      return new Proxy(
        {},
        {
          get: (_, key) => (key === "then" ? undefined : raise(new Error("no"))),
          has: () => raise(new Error("no")),
          ownKeys: () => raise(new Error("no")),
          getPrototypeOf: () => raise(new Error("no")),
        },
      );
    case "thenable":
      return thenable((resolve, reject) => {
        resolve("first");
        reject(new Error("second"));
        throw new Error("third");
      });
    case "unreadable":
      return {
        content: [text("x")],
        isError: true,
        get error() {
          return raise(new Error("no"));
        },
      };
    case "late":
      return environment.wait(5000).then(() => "late");
    case "lateCalls":
      void environment.wait(30).then(() => {
        ctx.update({ content: [text("too late")] });
        ctx.progress({ message: "too late" });
        ctx.checkpoint(null);
        const id = `n${environment.next()}`;
        void host.outcome(ctx.scope.execute({ id, name: "t4", arguments: {} }), id, "too late");
      });
      return "before";
    case "throws":
      throw Object.assign(new Error("no disk", { cause: secret }), { stack: secret });
    case "throwsNothing":
      throw undefined;
    case "throwsProxy":
      throw new Proxy({}, { get: () => raise(new Error("no")), has: () => raise(new Error("no")) });
    case "throwsFlipping":
      throw flipping(environment.next());
    case "throwsCode":
      // Once a middleware has answered in its place, its result is ignored.
      if (!ctx.signal.aborted) host.decided.set(ctx.callId, plan.code);
      throw new ToolError(plan.code, "As the tool says.", { cause: secret });
    case "throwsRetryable":
      if (ctx.attempt > 1 && plan.attempts === 2) return "at last";
      throw new ToolError("unavailable", "Not now.", { cause: secret });
    case "throwsRetryAfter":
      throw new ToolError("upstream", "Wait.", {
        retryable: true,
        retryAfterMs: plan.attempts === 2 ? 25 : 500_000,
      });
    case "hangs":
      return new Promise(() => {});
    case "abortable":
      return new Promise((_, reject) => {
        if (ctx.signal.aborted) reject(ctx.signal.reason as Error);
        ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
      });
    case "asksApproval":
      return suspend([approval("a")], { secret });
    case "asksAuth":
      return suspend([{ id: "a", type: "auth", credential: "github", message: "Sign in." }], {
        secret,
      });
    case "asksInput":
      return suspend([{ ...question("q"), schema: { type: "number" } } as never], { secret });
    case "asksResult":
      return suspend([{ id: "r", type: "result", arguments: {} }], { secret });
    case "asksTwo":
      return suspend([question("q"), approval("a")], { secret });
    case "asksAgain":
      return suspend([question("q")], { secret });
    case "asksBadly":
      return suspend([question("q"), question("q")], { secret });
    case "passesOn":
      return waiting.length > 0 ? passOn(waiting) : "nothing to pass on";
    case "forges":
      // The interruption of another call, or a forged one: its answer does not belong to this
      // request.
      return suspend([approval("a")], [
        ...waiting,
        ...environment.interruptions.slice(0, 1),
      ] as never);
    case "answersItself":
      return (async () => {
        for (const one of waiting) {
          const { id } = one.call;
          await host.outcome(
            host.resuming(id, () => ctx.scope.resume(one)),
            id,
            "answers itself",
          );
        }
        return "tried";
      })();
  }
}
