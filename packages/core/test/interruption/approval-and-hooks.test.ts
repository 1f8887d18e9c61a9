import { describe, expect, test } from "vitest";
import { type Hook, type JsonObject } from "@toolweave/core";
import { guarded, call, executorFor, foreignTool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

describe("hooks and an approval", () => {
  const withHook = (beforeCall: NonNullable<Hook["beforeCall"]>, ran: JsonObject[] = []) =>
    executorFor(guarded(ran), { hooks: [{ beforeCall }] });

  test("AP01 a hook that changes the arguments between asking and running needs another approval", async () => {
    const ran: JsonObject[] = [];
    let rate = 1;
    const executor = withHook(
      ({ arguments: { n } }) => ({ arguments: { n: (n as number) * rate } }),
      ran,
    );
    const first = getInterruption(await executor.execute(call("pay", { n: 10 })));
    expect(first.call.arguments).toEqual({ n: 10 });
    rate = 2;
    const second = getInterruption(await executor.resume(first, yes));
    expect(second.call.arguments).toEqual({ n: 20 });
    expect(second.id).not.toBe(first.id);
    expect(ran).toEqual([]);
    expect(getInterruption(await executor.resume(first, yes))).toEqual(second);
    const another = [{ type: "approve", by: "eve" }] as const;
    expect(readCode(await executor.resume(first, another))).toBe("approval_invalid");
    completed(await executor.resume(second, yes));
    expect(ran).toEqual([{ n: 20 }]);
  });

  test("a hook that makes the same change both times runs the approved arguments", async () => {
    const ran: JsonObject[] = [];
    const executor = withHook(
      ({ arguments: { n } }) => ({ arguments: { n: (n as number) + 1 } }),
      ran,
    );
    const interruption = getInterruption(await executor.execute(call("pay", { n: 1 })));
    expect(interruption.call.arguments).toEqual({ n: 2 });
    completed(await executor.resume(interruption, yes));
    expect(ran).toEqual([{ n: 2 }]);
  });

  test("AP03 a hook that blocks when the call is resumed blocks it, approved or not", async () => {
    const ran: JsonObject[] = [];
    let open = true;
    const executor = withHook(() => (open ? undefined : { block: "closed now" }), ran);
    const interruption = getInterruption(await executor.execute(call("pay")));
    open = false;
    expect(failed(await executor.resume(interruption, yes)).error).toMatchObject({
      code: "permission_denied",
      message: "pay was blocked: closed now",
    });
    expect(ran).toEqual([]);
  });

  test("AP03 the preflight runs again: a new permission needs another approval", async () => {
    const ran: string[] = [];
    let target = "/safe";
    const writing = foreignTool("write", {
      preflight: () => [{ kind: "fs.write", target, summary: `Write ${target}` }],
      invoke: () => void ran.push(target),
    });
    const executor = executorFor(new TestSource("s", [writing], { trusted: true }));
    const first = getInterruption(await executor.execute(call("write")));
    target = "/etc";
    const second = getInterruption(await executor.resume(first, yes));
    expect(second.requests).toMatchObject([{ permission: { target: "/etc" } }]);
    expect(ran).toEqual([]);
    completed(await executor.resume(second, yes));
    expect(ran).toEqual(["/etc"]);
  });

  test("hooks start from the admitted arguments, also the third time", async () => {
    let times = 0;
    const seen: JsonObject[] = [];
    const executor = withHook(({ arguments: args }) => {
      seen.push(args);
      times += 1;
      return { arguments: { n: times } };
    });
    const first = getInterruption(await executor.execute(call("pay", { n: 0 })));
    const second = getInterruption(await executor.resume(first, yes));
    getInterruption(await executor.resume(second, yes));
    expect(seen).toEqual([{ n: 0 }, { n: 0 }, { n: 0 }]);
  });
});
