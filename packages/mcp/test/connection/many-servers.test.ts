import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, it, onTestFinished, vi } from "vitest";
import { mcpSource } from "../../src/index.ts";
import { fragile } from "../support/fragile-source.ts";

it("a hanging, a crashing and a flooding server do not affect the others", async () => {
  const well = ["a", "b", "c"];
  const named = { hanging: "mute", crashing: "brief", flooding: "flood" };
  const start = (name: string, ways: string): ReturnType<typeof mcpSource> =>
    mcpSource({ ...fragile(ways).server, name, prefix: name });
  const good = well.map((name) => start(name, ""));
  const bad = Object.entries(named).map(([name, ways]) => start(name, ways));
  const registry = new ToolRegistry([...bad, ...good]);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  await Promise.all(good.map(({ ready }) => ready));
  // One of them hangs: the registry still waits for it, and works.
  expect(registry.loading).toBe(true);
  let changes = 0;
  registry.onChange(({ added, removed, changed }) => {
    if ([...added, ...removed, ...changed].includes("flooding__echo")) changes += 1;
  });
  const call = async (name: string): Promise<string> => {
    const outcome = await executor.execute({ id: name, name: `${name}__echo`, arguments: {} });
    return outcome.status;
  };
  for (let round = 0; round < 20; round += 1) {
    expect(await Promise.all(well.map(call))).toEqual(well.map(() => "completed"));
  }
  // The flooding one lists the same tools repeatedly, which is no change.
  await vi.waitFor(() => expect(registry.get("flooding__echo")).toBeDefined(), { timeout: 60_000 });
  changes = 0;
  expect(await call("flooding")).toBe("completed");
  expect(await Promise.all(well.map(call))).toEqual(well.map(() => "completed"));
  expect(changes).toBe(0);
});
