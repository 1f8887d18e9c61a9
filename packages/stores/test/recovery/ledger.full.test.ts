import { expect, test } from "vitest";
import { count, DurableRun } from "./support/durable-run.ts";

test("durable runs whose processes are killed at any moment have each effect at most once", async () => {
  const runs = 12;
  let kills = 0;
  let unknown = 0;
  let effects = 0;
  for (let number = 0; number < runs; number++) {
    const run = new DurableRun();
    for (let call = 0; call < 6; call++) {
      // A call takes about 10 ms.
      const ms = ((number * 7 + call * 5) % 16) + 0.5;
      if (!(await run.drive("to the end", { call, ms }))) kills += 1;
    }
    expect(await run.drive("to the end")).toBe(true);
    expect(run.violations).toEqual([]);
    unknown += run.unknown;
    effects += run.effects.length;
  }
  console.log(
    `${runs * count} calls, ${kills} kills: ${effects} effects, 0 twice, ${unknown} outcomes unknown`,
  );
});
