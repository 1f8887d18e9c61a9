import { onTestFinished } from "vitest";
import { Jail } from "../../src/jail/jail.ts";
import type { PathRules, WorkspaceRoot } from "../../src/jail/path-rules.ts";

/** A jail that is closed when the test ends. */
export function openJail(roots: readonly WorkspaceRoot[], rules: PathRules = {}): Jail {
  const jail = new Jail(roots, rules);
  onTestFinished(() => jail.close());
  return jail;
}
