import { onTestFinished } from "vitest";
import { Jail } from "../../src/jail/jail.ts";
import type { PathCheck } from "../../src/jail/permitted-paths.ts";
import type { PathRules, WorkspaceRoot } from "../../src/jail/path-rules.ts";

/** The check of a call that was permitted to use every object. */
export const everyObject: PathCheck = () => {};

/** A jail that is closed when the test ends. */
export function openJail(roots: readonly WorkspaceRoot[], rules: PathRules = {}): Jail {
  const jail = new Jail(roots, rules);
  onTestFinished(() => jail.close());
  return jail;
}
