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
  await SandboxManager.initialize(config);
  return {
    level: "srt",
    isIsolated: false,
    hidesNetwork: true,
    guardsProtectedFiles: false,
    prepare: async ({ argv, cwd, env }) => {
      const line = await SandboxManager.wrapWithSandbox(quoteArgv(argv));
      return {
        argv: ["bash", "--noprofile", "--norc", "-c", line],
        cwd,
        env,
        descriptors: [],
        close: () => {},
      };
    },
    close: () => SandboxManager.reset(),
  };
}
