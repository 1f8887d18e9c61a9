import { runProgram } from "@toolweave/test-support/run-program";
import { expect, test } from "vitest";

/** The tools of these programs have no handles of their own: only the executor can keep the process alive. */
const shared = `
  import { ToolExecutor, ToolRegistry, defineTool } from "@toolweave/core";
  const input = { type: "object" };
  const define = (name, execute, more) =>
    defineTool({ name, description: "A tool.", input, execute, ...more });
  const never = new Promise(() => {});
  const code = (outcome) => console.log(outcome.status, outcome.error?.code ?? "");
`;

/** Each awaits operations of one kind, and nothing else. */
const programs: Readonly<Record<string, readonly [program: string, output: string]>> = {
  "a call, alone and behind another one": [
    `
      const registry = new ToolRegistry([define("hang", () => never, { timeoutMs: 50 })]);
      const executor = new ToolExecutor({ registry, limits: { concurrency: { max: 1 } } });
      code(await executor.execute({ id: "1", name: "hang", arguments: {} }));
      await using run = executor.startRun();
      const calls = ["1", "2"].map((id) => ({ id, name: "hang", arguments: {} }));
      (await run.executeAll(calls)).forEach(code);
    `,
    "failed timeout\n".repeat(3),
  ],
  "a pause before a retry": [
    `
      const retry = { attempts: 2, initialDelayMs: 50 };
      const fail = () => { throw Object.assign(new Error("busy"), { retryable: true }); };
      const annotations = { readOnlyHint: true };
      const registry = new ToolRegistry([define("fail", fail, { retry, annotations })]);
      code(await new ToolExecutor({ registry }).execute({ id: "1", name: "fail", arguments: {} }));
    `,
    "failed execution_failed\n",
  ],
  "a hook of an update that does not answer": [
    `
      const report = async (_, { update }) => {
        await update({ content: [{ type: "text", text: "half" }] });
        return "done";
      };
      const registry = new ToolRegistry([define("report", report, { timeoutMs: 0 })]);
      const hooks = [{ afterUpdate: () => never }];
      const executor = new ToolExecutor({ registry, hooks, hookTimeoutMs: 50, maxTimeoutMs: 0 });
      code(await executor.execute({ id: "1", name: "report", arguments: {} }));
    `,
    "completed \n",
  ],
  "a call while another source loads": [
    `
      const slow = { id: "slow", ready: never, tools: () => [], onChange: () => () => {}, close() {} };
      const registry = new ToolRegistry([define("here", () => "done"), slow]);
      code(await new ToolExecutor({ registry }).execute({ id: "1", name: "here", arguments: {} }));
    `,
    "completed \n",
  ],
  "the result of a task": [
    `
      const registry = new ToolRegistry([
        define("build", () => never, { execution: "task", timeoutMs: 50 }),
      ]);
      const executor = new ToolExecutor({ registry });
      const { result } = await executor.execute({ id: "1", name: "build", arguments: {} });
      code(await executor.tasks.result(result.value.taskId));
    `,
    "failed timeout\n",
  ],
};

test.each(Object.keys(programs))(
  "%s keeps the process alive, which then ends by itself",
  async (name) => {
    const [program, output] = programs[name] ?? [];
    const end = await runProgram(`${shared}${program}`, import.meta.dirname);
    expect(end).toEqual({ code: 0, errors: "", output });
  },
);

test("a call in a thread keeps the process alive, and an idle thread does not", async () => {
  const program = new URL("./worker/calls-in-thread.ts", import.meta.url);
  const end = await runProgram(program, import.meta.dirname);
  expect(end).toEqual({ code: 0, errors: "", output: "completed\n".repeat(2) });
});
