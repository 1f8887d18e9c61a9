import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SandboxManager, type SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { quoteArgv } from "./policy/script-permissions.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/**
 * A sandbox of the optional package `@anthropic-ai/sandbox-runtime`, for what this package has not: macOS, and a network
 * whose TLS is examined. It needs bubblewrap, socat and ripgrep on Linux. Nothing is guaranteed for it here: its commands
 * see all files that its configuration does not deny. A process has one configuration of it at a time.
 *
 * @throws the error of the package (by rejecting) when it cannot be used on this machine, or has another configuration.
 * @example
 * ```ts
 * const network = { allowedDomains: ["registry.npmjs.org"], deniedDomains: [] };
 * const filesystem = { denyRead: ["~/.ssh"], allowWrite: ["."], denyWrite: [] };
 * const sandbox = await srtSandbox({ network, filesystem });
 * const registry = new ToolRegistry([workspaceTools({ root: ".", sandbox })]);
 * ```
 */
export async function srtSandbox(config: SandboxRuntimeConfig): Promise<Sandbox> {
  const folder = (temporaryFolder ??= mkdtempSync(join(tmpdir(), "toolweave-srt-")));
  const { filesystem } = config;
  await SandboxManager.initialize({
    ...config,
    filesystem: { ...filesystem, allowWrite: [...filesystem.allowWrite, folder] },
  });
  return {
    level: "srt",
    isIsolated: false,
    hidesNetwork: true,
    guardsProtectedFiles: false,
    prepare: async ({ argv, cwd, env }) => {
      // The package sets the variable to a folder that need not exist.
      const inner = ["env", `TMPDIR=${folder}`, ...argv];
      const line = await SandboxManager.wrapWithSandbox(quoteArgv(inner));
      return {
        argv: ["bash", "--noprofile", "--norc", "-c", line],
        cwd,
        env,
        descriptors: [],
        // Programs that connect the command to the proxies of the package.
        hasHelpers: true,
        // Bubblewrap has made empty files in place of those that the command may not create.
        onEnd: () => SandboxManager.cleanupAfterCommand(),
        close: () => {},
      };
    },
    close: async () => {
      temporaryFolder = undefined;
      rmSync(folder, { recursive: true, force: true });
      await SandboxManager.reset();
    },
  };
}

/** The folder of temporary files of commands: one for this process, as the configuration of the package is. */
let temporaryFolder: string | undefined;
