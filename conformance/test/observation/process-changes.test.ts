import { expect, test } from "vitest";
import { observeProcess } from "../../src/observation/process-changes.ts";

test("prints and changes are reported, and take effect", async () => {
  const touches = await observeProcess(async () => {
    process.env["CONFORMANCE_TOUCHED"] = "yes";
    process.stderr.write("");
    delete process.env["CONFORMANCE_TOUCHED"];
  });
  expect(touches).toEqual([
    { kind: "environment", what: "CONFORMANCE_TOUCHED" },
    { kind: "log", what: "" },
    { kind: "environment", what: "CONFORMANCE_TOUCHED" },
  ]);
  expect(process.env["CONFORMANCE_TOUCHED"]).toBeUndefined();
});

test("changes by other code do not count", async () => {
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  const watching = observeProcess(() => gone);
  process.env["CONFORMANCE_OTHER"] = "yes";
  delete process.env["CONFORMANCE_OTHER"];
  go();
  expect(await watching).toEqual([]);
});

test("the process is restored afterwards", async () => {
  const { env, stdout, stderr } = process;
  const before = [env, stdout.write, stderr.write, console.log, process.chdir];
  await Promise.all([observeProcess(async () => {}), observeProcess(async () => {})]);
  const after = [process.env, stdout.write, stderr.write, console.log, process.chdir];
  expect(after.every((one, at) => one === before[at])).toBe(true);
});
