import { examineLevels } from "../../src/sandbox/choose-sandbox.ts";

const levels = await examineLevels({
  view: () => ({ roots: [], protectedPaths: [], hiddenPaths: [], readPaths: [] }),
});
const holding = new Set(levels.filter(({ holds }) => holds).map(({ level }) => level));

/** Whether this machine has a sandbox that isolates: bubblewrap is installed, and may make namespaces. */
export const hasSandbox: boolean = holding.has("bwrap");
/** Whether this machine has Landlock. */
export const hasLandlock: boolean = holding.has("landlock");
