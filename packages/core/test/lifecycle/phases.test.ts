import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "@toolweave/core";
import { steadyClock } from "@toolweave/core/adapter";
import { describe, expect, test, vi } from "vitest";
import { ActiveCalls } from "../../src/executor/call/active-calls.ts";
import { CallLifecycle } from "../../src/executor/call/call-lifecycle.ts";
import { mayFollow, type CallPhase } from "../../src/executor/call/call-phase.ts";

/** Legal steps to each phase. */
const paths: Record<CallPhase, readonly CallPhase[]> = {
  pending: [],
  admitted: ["admitted"],
  attempting: ["attempting"],
  retrying: ["attempting", "retrying"],
  backoff: ["attempting", "retrying", "backoff"],
  leaving: ["leaving"],
  ended: ["ended"],
};
const phases = Object.keys(paths) as CallPhase[];

/** A call with nothing but its lifecycle. */
class BareCall extends CallLifecycle {
  readonly entry = undefined;
  readonly engine = {
    clock: steadyClock,
    activeCalls: new ActiveCalls<CallLifecycle>(steadyClock),
  };
  readonly run = { limits: undefined, endsAt: Infinity, stopped: undefined, cancelled: undefined };
  readonly call = { id: "1", name: "t", arguments: {} };
  readonly parent = undefined;
  override settle = (): void => {};
  readonly failed = vi.fn<(reason: ToolError) => void>();
  readonly endedNow = vi.fn<(reason: ToolError) => void>();

  protected override fail(reason: ToolError): void {
    this.endWait();
    this.failed(reason);
  }

  protected override endNow(reason: ToolError): void {
    this.endWait();
    this.endedNow(reason);
  }

  override abandon(defect: unknown): void {
    throw defect;
  }

  protected override retryAfter(): boolean {
    return false;
  }
}

/** A call in a phase that it has reached by legal steps. */
function callIn(phase: CallPhase): BareCall {
  const call = new BareCall();
  for (const step of paths[phase]) call.enter(step);
  return call;
}

const ignored = { value: () => {}, error: () => {}, late: () => {} };
const stopped = new ToolError("cancelled", "Stopped.");

describe("the phases of a call", () => {
  test.each(phases.flatMap((from) => phases.map((to) => [from, to] as const)))(
    "%s to %s is possible if it may follow, and a defect otherwise",
    (from, to) => {
      let defect = "none";
      try {
        callIn(from).enter(to);
      } catch (error) {
        defect = (error as ToolError).message;
      }
      expect(defect).toBe(
        mayFollow(from, to) ? "none" : `A call cannot change from ${from} to ${to}.`,
      );
    },
  );

  test("are the ones that docs/concepts/lifecycle.md lists", () => {
    const page = readFileSync(
      join(import.meta.dirname, "../../../../docs/concepts/lifecycle.md"),
      "utf8",
    );
    const rows = page
      .slice(page.indexOf("## Phases"), page.indexOf("## Outcomes"))
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => {
        const [, phase = "", , next = ""] = line.split("|");
        return [
          phase.trim().replaceAll("`", ""),
          Array.from(next.matchAll(/`([a-z]+)`/g), (m) => m[1]).sort(),
        ];
      });
    const transitions = phases.map((phase) => [
      phase,
      phases.filter((next) => mayFollow(phase, next)).sort(),
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(transitions));
  });
});

describe("a guard", () => {
  test("passes values on while the call is in its step", async () => {
    const live = callIn("pending").guard();
    expect(live(await Promise.resolve(7))).toBe(7);
  });

  test.each(["attempting", "leaving", "ended"] as const)(
    "undoes and throws once the call is %s",
    (phase) => {
      const call = callIn("pending");
      const live = call.guard();
      call.enter(phase);
      const undo = vi.fn<(value: number) => void>();
      expect(() => live(7, undo)).toThrow("has continued without it");
      expect(undo).toHaveBeenCalledExactlyOnceWith(7);
    },
  );

  test("throws the reason for which the call was stopped", () => {
    const call = callIn("pending");
    call.wait(new Promise(() => {}), ignored, undefined);
    const live = call.guard();
    call.stop(stopped);
    expect(() => live(1)).toThrow(stopped);
  });
});

describe("a wait", () => {
  test("that is over when its value arrives calls only `late`", async () => {
    const call = callIn("pending");
    const value = vi.fn<() => void>();
    const late = vi.fn<(call: BareCall, outcome: "returned" | "threw", value?: string) => void>();
    call.wait(Promise.resolve("answer"), { value, error: () => {}, late }, undefined);
    call.stop(stopped);
    await Promise.resolve();
    expect(value).not.toHaveBeenCalled();
    expect(late).toHaveBeenCalledExactlyOnceWith(call, "returned", "answer", undefined);
  });

  test("ends with the first stop, and only with that one", () => {
    const call = callIn("pending");
    call.wait(new Promise(() => {}), ignored, undefined);
    call.stop(stopped);
    call.stop(new ToolError("timeout", "Later."));
    expect(call.failed.mock.calls).toEqual([[stopped]]);
    expect([...call.engine.activeCalls]).toEqual([]);
  });

  test("of a call that is leaving ends without its record when the call is stopped", () => {
    const call = callIn("leaving");
    call.wait(new Promise(() => {}), ignored, undefined);
    call.stop(stopped);
    expect([call.failed.mock.calls, call.endedNow.mock.calls]).toEqual([[], [[stopped]]]);
  });
});

describe("a stop", () => {
  test.each(["admitted", "ended"] as const)("has no effect on a call that is %s", (phase) => {
    const call = callIn(phase);
    call.stop(stopped);
    expect(() => call.throwIfStopped()).not.toThrow();
  });
});
