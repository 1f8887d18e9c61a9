import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test, vi } from "vitest";
import type { CommandingMessage } from "../support/commanding-process.ts";
import { processesWith } from "../support/processes.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const kills = inFullRun(50, 3);

test.runIf(hasSandbox)(
  "kill -9 of the host during a command in a sandbox leaves no process",
  { timeout: 120_000 + 5_000 * kills },
  async () => {
    for (let count = 0; count < kills; count++) {
      const seconds = `6${process.pid}${count}`;
      const child = fork(
        join(import.meta.dirname, "../support/commanding-process.ts"),
        [tempFolder(), seconds],
        { execArgv: ["--conditions=@toolweave/source"] },
      );
      const [message] = (await once(child, "message")) as [CommandingMessage];
      expect(message).toBe("running");
      // Each of them starts in its own time.
      await vi.waitFor(() => expect(processesWith(seconds).length).toBeGreaterThan(2), {
        timeout: 10_000,
      });
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), { timeout: 10_000 });
    }
  },
);
