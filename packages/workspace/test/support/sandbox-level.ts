import { chooseSandbox } from "../../src/sandbox/choose-sandbox.ts";

const { report } = await chooseSandbox("auto", () => ({
  roots: [],
  protectedPaths: [],
  hiddenPaths: [],
  readPaths: [],
}));

/** Whether this machine has a sandbox that holds: bubblewrap is installed, and may make namespaces. */
export const hasSandbox: boolean = report.level === "bwrap";
