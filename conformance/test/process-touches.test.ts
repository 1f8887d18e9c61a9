import { expect, test } from "vitest";
import { processTouches } from "../src/watching/process-touches.ts";

test("what a piece of code prints and changes is told, and done all the same", async () => {
  const touches = await processTouches(async () => {
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

test("what others do meanwhile does not count", async () => {
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  const watching = processTouches(() => gone);
  process.env["CONFORMANCE_OTHER"] = "yes";
  delete process.env["CONFORMANCE_OTHER"];
  go();
  expect(await watching).toEqual([]);
});

test("afterwards the process is as it was", async () => {
  const { env, stdout, stderr } = process;
  const before = [env, stdout.write, stderr.write, console.log, process.chdir];
  await Promise.all([processTouches(async () => {}), processTouches(async () => {})]);
  const after = [process.env, stdout.write, stderr.write, console.log, process.chdir];
  expect(after.every((one, at) => one === before[at])).toBe(true);
});
