import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../src/start.ts", import.meta.url));

it("displays the tools of the folder, a query, a wrong argument, and a write that waits", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "--conditions=@toolweave/source",
    "--disable-warning=ExperimentalWarning",
    script,
  ]);
  expect(stderr).toBe("");
  expect(stdout).toContain("place_order          Place an order for a customer.");
  expect(stdout).toContain('reads: [{"item":"tea","pieces":2},{"item":"jam","pieces":1}]');
  expect(stdout).toContain("customer");
  expect(stdout).toMatch(
    /\(waits\) Change shop\.db with place_order\.sql\na person approves: \[\{"id":3\}\]/,
  );
});
