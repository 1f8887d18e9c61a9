import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type ToolContext } from "@toolweave/core";
import { cancellationOf, type Cancellation } from "@toolweave/core/adapter";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode } from "../support/outcomes.ts";

const never = (): Promise<string> => new Promise(() => {});

function listener(): { handleEvent(): void; times: number } {
  return {
    times: 0,
    handleEvent() {
      this.times += 1;
    },
  };
}

describe("the cancellation of a call", () => {
  test("notifies each listener once, with the reason, when the run is cancelled", async () => {
    const [first, second, gone] = [listener(), listener(), listener()];
    let cancellation: Cancellation | undefined;
    const executor = executorFor(
      tool("t", (_, ctx) => {
        cancellation = cancellationOf(ctx);
        for (const one of [gone, first, second]) cancellation.addEventListener("abort", one);
        cancellation.removeEventListener("abort", gone);
        return never();
      }),
    );
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    expect(cancellation?.aborted).toBe(false);
    run.cancel();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    expect([first.times, second.times, gone.times]).toEqual([1, 1, 0]);
    expect(cancellation?.aborted).toBe(true);
    expect(ToolError.is(cancellation?.reason) && cancellation.reason.code).toBe("cancelled");
  });

  test("has the same state as the signal, whichever is read first", async () => {
    let ctx: ToolContext | undefined;
    const clock = new FakeClock();
    const executor = executorFor(
      tool("t", (_, given) => ((ctx = given), void given.signal, never())),
      { clock, timeoutMs: 50 },
    );
    const outcome = executor.execute(call("t"));
    await settled();
    const cancellation = cancellationOf(ctx as ToolContext);
    clock.advance(50);
    expect(readCode(await outcome)).toBe("timeout");
    const { signal } = ctx as ToolContext;
    expect([cancellation.aborted, signal.aborted]).toEqual([true, true]);
    expect(signal.reason).toBe(cancellation.reason);
  });

  test("that arrives after the end finds no listener, and returns that", async () => {
    let ctx: ToolContext | undefined;
    const late = listener();
    const executor = executorFor(tool("t", (_, given) => ((ctx = given), never())));
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    await outcome;
    const cancellation = cancellationOf(ctx as ToolContext);
    cancellation.addEventListener("abort", late);
    expect([cancellation.aborted, late.times]).toEqual([true, 0]);
  });

  test("reaches all listeners if one throws", async () => {
    const other = listener();
    const executor = executorFor(
      tool("t", (_, ctx) => {
        const cancellation = cancellationOf(ctx);
        cancellation.addEventListener("abort", {
          handleEvent: () => {
            throw new Error("broken");
          },
        });
        cancellation.addEventListener("abort", other);
        return never();
      }),
    );
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(other.times).toBe(1);
  });

  test("of a context that is not the executor's is its signal", () => {
    const { signal } = new AbortController();
    expect(cancellationOf({ signal })).toBe(signal);
  });
});
