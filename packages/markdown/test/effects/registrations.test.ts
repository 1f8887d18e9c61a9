import { describe, expect, test } from "vitest";
import type { ToolRun } from "@toolweave/core";
import { openProject, toolFile } from "../support/project.ts";

const grow = toolFile(`
def run(args):
    meta.tool_register("twice", "def run(args):\\n    return args['n'] * 2", "Double it.", {"n": {"type": "number", "required": True}})
    meta.hook_register("guard", "tool.pre", "def handle(event, payload):\\n    return block('no') if payload['args'].get('n') == 13 else allow()", priority = 1)
    return "grown"
`);

async function approveAll(run: ToolRun, name: string) {
  const asked: string[] = [];
  let outcome = await run.execute({ id: name, name, arguments: {} });
  while (outcome.status === "interrupted") {
    for (const request of outcome.interruption.requests)
      if (request.type === "approval") asked.push(request.permission.kind);
    outcome = await run.executor.resume(outcome.interruption, [{ type: "approve" }], { run });
  }
  return { outcome, asked };
}

describe("tools and hooks that scripts register", () => {
  test("need approval, work in their run alone, and end with it", async () => {
    const { executor, source } = await openProject({ ".toolweave/tools/grow.md": grow });
    const run = executor.startRun();
    const { outcome, asked } = await approveAll(run, "grow");
    expect(outcome.result?.value).toBe("grown");
    expect(asked).toEqual(["custom.register_tool", "custom.register_hook"]);
    await source.refresh();
    run.nextTurn();
    const call = (id: string, n: number) => ({ id, name: "twice", arguments: { n } });
    expect((await run.execute(call("a", 4))).result?.value).toBe(8);
    expect((await run.execute(call("b", 13))).error?.message).toContain("no");
    const other = await executor.execute(call("c", 13));
    expect(other.error?.message).toContain("was registered for another run");
    source.endRun(run.id);
    await source.refresh();
    expect((await executor.execute(call("d", 4))).error?.code).toBe("not_found");
  });

  test.each([
    [
      "a name that is none",
      'meta.tool_register("Twice!", "def run(args): return 1")',
      "small letters",
    ],
    ["a name that exists", 'meta.tool_register("work", "def run(args): return 1")', "already"],
    ["a script that is missing", 'meta.hook_register("x", "tool.pre", "")', "not valid"],
  ])("%s is refused before a person is asked", async (_, line, message) => {
    const { executor } = await openProject({
      ".toolweave/tools/work.md": toolFile(`def run(args):\n    ${line}`),
    });
    const outcome = await executor.execute({ id: "1", name: "work", arguments: {} });
    expect(outcome.error?.message).toContain(message);
  });
});
