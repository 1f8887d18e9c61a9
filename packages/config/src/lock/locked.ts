import type { Tool, ToolSource } from "@toolweave/core";
import { describeChange, type SourceProblem } from "@toolweave/core/adapter";
import { lockedTool, changesOf, type Lock, type LockedTool } from "./lock.ts";

const maxListed = 3;

/**
 * The source, limited to the tools that match the lock. A tool whose description differs, or that is not in the lock,
 * is quarantined: a problem says what has changed. The same applies to tools that change later.
 *
 * @param lock the result of `lockOf` after a person has reviewed the tools.
 */
export function locked(source: ToolSource, lock: Lock): ToolSource {
  // A tool stays the same object while nothing about it changes.
  const faults = new WeakMap<Tool, { readonly fault: string | undefined }>();
  const faultOf = (tool: Tool): string | undefined => {
    let known = faults.get(tool);
    if (known === undefined) {
      faults.set(tool, (known = { fault: faultOfTool(tool, source.id, lock) }));
    }
    return known.fault;
  };
  let seen: readonly Tool[] | undefined;
  let kept: readonly Tool[] = [];
  let quarantined: readonly SourceProblem[] = [];
  const look = (): void => {
    const tools = source.tools();
    if (tools === seen) return;
    seen = tools;
    kept = tools.filter((tool) => faultOf(tool) === undefined);
    quarantined = tools.flatMap((tool) => {
      const fault = faultOf(tool);
      return fault === undefined ? [] : [{ subject: tool.spec.name, message: fault }];
    });
  };
  return {
    id: source.id,
    ready: source.ready,
    get problems() {
      look();
      return [...source.problems, ...quarantined];
    },
    trustAnnotations: source.trustAnnotations ?? false,
    ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
    tools() {
      look();
      return kept;
    },
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}

function faultOfTool(tool: Tool, source: string, lock: Lock): string | undefined {
  const { name } = tool.spec;
  const before = Object.hasOwn(lock.tools, name) ? lock.tools[name] : undefined;
  if (before === undefined) {
    return "It is not in the lock: look at it, then lock again (`toolweave lock`).";
  }
  let after: LockedTool;
  try {
    after = lockedTool(tool, source);
  } catch (error) {
    return `It cannot be compared with the lock, and is left out: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (after.hash === before.hash) return undefined;
  const changes = changesOf(before, after);
  const listed = changes.slice(0, maxListed).map(describeChange).join("; ");
  const more = changes.length > maxListed ? `; and ${changes.length - maxListed} more` : "";
  return `It has changed since it was locked, and is left out: ${listed}${more}. Look at it, then lock again (\`toolweave lock\`).`;
}
