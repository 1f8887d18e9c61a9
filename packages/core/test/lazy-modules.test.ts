import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Makes calls of each kind, and prints which of the lazy modules each of them loads first. */
const program = `
  import { registerHooks } from "node:module";
  const lazy = new Set(["explain.ts", "resume.ts", "request-approval.ts", "bounded-ajv.ts"]);
  let loaded = [];
  registerHooks({
    resolve(specifier, context, next) {
      const name = specifier.split("/").at(-1);
      if (lazy.delete(name)) loaded.push(name);
      return next(specifier, context);
    },
  });
  const steps = {};
  async function step(name, act) {
    loaded = [];
    const result = await act();
    steps[name] = loaded;
    return result;
  }
  const { ToolExecutor, ToolRegistry, defineTool } = await step("import", () => import("@toolweave/core"));
  const input = { type: "object" };
  const define = (name, needsApproval) =>
    defineTool({ name, description: "A tool.", input, needsApproval, execute: () => "done" });
  const registry = new ToolRegistry([define("plain", false), define("asking", true)]);
  const executor = new ToolExecutor({ registry });
  const call = (name) => ({ id: name, name, arguments: {} });
  await step("call", () => executor.execute(call("plain")));
  const { interruption } = await step("ask", () => executor.execute(call("asking")));
  await step("resume", () => executor.resume(interruption, [{ type: "approve" }]));
  await step("explain", () => executor.explain(call("plain")));
  process.stdout.write(JSON.stringify(steps));
`;

it("explaining, asking and resuming load their modules when first used", async () => {
  const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual({
    import: [],
    call: ["bounded-ajv.ts"],
    ask: ["request-approval.ts"],
    resume: ["resume.ts"],
    explain: ["explain.ts"],
  });
});
