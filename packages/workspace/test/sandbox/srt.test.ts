import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { srtSandbox } from "../../src/srt.ts";
import { openWorkspace } from "../support/open-workspace.ts";

/** It needs bubblewrap, socat and ripgrep. */
const isUsable = SandboxManager.checkDependencies().errors.length === 0;

test.runIf(isUsable)("commands run in the sandbox of sandbox-runtime", async () => {
  const allowed = tempFolder();
  const sandbox = await srtSandbox({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [allowed], denyWrite: [] },
  });
  const { text, call, root } = openWorkspace({}, { sandbox });
  const before = readdirSync(allowed);
  const written = await text("bash", {
    command: `echo 'a "b"' > ${allowed}/a && cat ${allowed}/a`,
  });
  expect(written).toBe('a "b"');
  expect(await text("bash", { command: "test -f $(mktemp) && echo made" })).toBe("made");
  expect(readdirSync(allowed)).toEqual([...before, "a"]);
  const outside = await call("bash", { command: "touch b" });
  expect(outside.result?.value).toMatchObject({ exitCode: 1, sandbox: "srt" });
  expect(existsSync(join(root, "b"))).toBe(false);
});
