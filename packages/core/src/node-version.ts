/** The parts of `globalThis` that tell in which runtime this is. */
export interface RuntimeGlobals {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } };
  readonly navigator?: { readonly userAgent?: string };
}

/**
 * Returns why Toolweave cannot run in this Node.js; `undefined`: it can, or this is another runtime, which may report a
 * version of Node.js that it is compatible with.
 */
export function nodeProblem(runtime: RuntimeGlobals): string | undefined {
  const version = runtime.process?.versions?.["node"];
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return undefined;
  // Node.js has a user agent since version 21. It is read last, because that loads a module.
  const agent = runtime.navigator?.userAgent ?? "Node.js";
  if (!agent.startsWith("Node.js")) return undefined;
  return `Toolweave needs Node.js 22.19 or newer, but this is Node.js ${version}: install a newer version.`;
}

// All packages import core, and core imports this module first: nothing else reports an old Node.js as clearly.
const problem = nodeProblem(globalThis as RuntimeGlobals);
if (problem !== undefined) throw new Error(problem);
