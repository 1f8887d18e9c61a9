import type { Tool, ToolSource } from "@toolweave/core";
import {
  describeChange,
  ellipsize,
  type MemberChange,
  type SourceProblem,
} from "@toolweave/core/adapter";
import type { Lock } from "./lock.ts";
import { findChanges } from "./lock-difference.ts";

const maxListed = 3;

/** Characters of a listed change. */
const maxLength = 500;

/**
 * The source, limited to the tools that match the lock. A tool whose description differs, or that is not in the lock,
 * is quarantined: a problem says what has changed. The same applies to tools that change later.
 *
 * @param lock the result of `lockOf` after a person has reviewed the tools.
 */
export function locked(source: ToolSource, lock: Lock): ToolSource {
  // A tool stays the same object while nothing about it changes.
  const faults = new WeakMap<Tool, { readonly fault: string | undefined }>();
  const findFault = (tool: Tool): string | undefined => {
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
    kept = tools.filter((tool) => findFault(tool) === undefined);
    quarantined = tools.flatMap((tool) => {
      const fault = findFault(tool);
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
    get failures() {
      look();
      return [...(source.failures ?? source.problems), ...quarantined];
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
  let changes: readonly MemberChange[] | undefined;
  try {
    changes = findChanges(lock, tool, source);
  } catch (error) {
    return `It cannot be compared with the lock, and is left out: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (changes === undefined) {
    return "It is not in the lock: look at it, then lock again (`toolweave lock`).";
  }
  if (changes.length === 0) return undefined;
  const listed = changes
    .slice(0, maxListed)
    .map((change) => ellipsize(describeChange(change), maxLength))
    .join("; ");
  const more = changes.length > maxListed ? `; and ${changes.length - maxListed} more` : "";
  return `It has changed since it was locked, and is left out: ${listed}${more}. Look at it, then lock again (\`toolweave lock\`).`;
}
