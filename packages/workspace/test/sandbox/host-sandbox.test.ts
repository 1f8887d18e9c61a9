import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { noSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { openWorkspace } from "../support/open-workspace.ts";

/** A sandbox that makes a file for each command, and has a process of its own beside it. */
function createSandbox(folder: string): Sandbox {
  return {
    ...noSandbox,
    level: "host",
    prepare: ({ argv: [, ...args], ...command }) => {
      const placeholder = join(folder, "placeholder");
      writeFileSync(placeholder, "");
      return {
        ...command,
        argv: ["bash", "-c", 'sleep 60 & exec "$@"', "bash", "bash", ...args],
        descriptors: [],
        hasHelpers: true,
        onEnd: () => rmSync(placeholder),
        close: () => {},
      };
    },
  };
}

test("a sandbox of the host cleans up after each command, and its own processes are not reported", async () => {
  const folder = tempFolder();
  const { text, call } = openWorkspace({}, { sandbox: createSandbox(folder) });
  const placeholder = join(folder, "placeholder");
  expect(await text("bash", { command: `test -f ${placeholder} && echo there` })).toBe("there");
  expect(existsSync(placeholder)).toBe(false);
  const slow = await call("bash", { command: "sleep 60", timeout_ms: 50 });
  expect([slow.ok, existsSync(placeholder)]).toEqual([false, false]);
});
