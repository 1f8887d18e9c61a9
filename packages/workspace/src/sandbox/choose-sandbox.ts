import { ToolError } from "@toolweave/core";
import { BubblewrapSandbox, findBubblewrap, type SandboxView } from "./bubblewrap.ts";
import { probeSandbox, type ProbeReport } from "./probe-sandbox.ts";
import { noSandbox, type Sandbox } from "./sandbox.ts";

/** Which sandbox commands run in: the best that holds, none, or one that has to hold. */
export type SandboxChoice = "auto" | "none" | "required";

/** A sandbox that was looked for, and what was found. */
interface SandboxReport {
  readonly level: Sandbox["level"];
  /** Why a stronger level was not used; undefined: there is none. */
  readonly reason?: string;
  /** The result of the probes of bubblewrap; undefined: it is not installed. */
  readonly probes?: ProbeReport;
}

/** A sandbox and the report about it. */
export interface ChosenSandbox {
  readonly sandbox: Sandbox & { close?(): void };
  readonly report: SandboxReport;
}

/** The result of the probes of each program: it depends on the machine alone. */
const probed = new Map<string, Promise<ProbeReport>>();

/**
 * Finds the sandbox for commands. A level is used only after its probes have failed to escape on this machine.
 *
 * @throws ToolError `unavailable` (by rejecting) for `required` when no sandbox holds; the text says why, and what to do.
 */
export async function chooseSandbox(
  choice: SandboxChoice,
  view: () => Omit<SandboxView, "emptyFile">,
  program: string | undefined = findBubblewrap(),
): Promise<ChosenSandbox> {
  if (choice === "none")
    return { sandbox: noSandbox, report: { level: "none", reason: "the host has chosen none" } };
  if (program === undefined) {
    return withoutSandbox(choice, {
      level: "none",
      reason: "bubblewrap is not installed: install the package bubblewrap",
    });
  }
  const probes = await probe(program);
  if (probes.holds)
    return { sandbox: new BubblewrapSandbox(program, view), report: { level: "bwrap", probes } };
  const reason =
    probes.failure === undefined
      ? `bubblewrap does not hold on this machine: ${probes.escaped.join(", ")}`
      : `bubblewrap cannot be used on this machine (${probes.failure})${adviceFor(probes.failure)}`;
  return withoutSandbox(choice, { level: "none", reason, probes });
}

function probe(program: string): Promise<ProbeReport> {
  let probes = probed.get(program);
  if (probes === undefined) {
    probes = probeSandbox((view) => new BubblewrapSandbox(program, () => view));
    probed.set(program, probes);
  }
  return probes;
}

function withoutSandbox(choice: SandboxChoice, report: SandboxReport): ChosenSandbox {
  if (choice !== "required") return { sandbox: noSandbox, report };
  throw new ToolError(
    "unavailable",
    `No command is run, since the workspace requires a sandbox and ${report.reason}.`,
  );
}

/** The remedy for usual failures. */
function adviceFor(failure: string): string {
  if (
    /RTM_NEWADDR|setting up uid map|Operation not permitted|No permissions to create new namespace/.test(
      failure,
    )
  ) {
    return ": allow user namespaces, with an AppArmor profile for bwrap, or in a container with --security-opt seccomp=unconfined";
  }
  if (/mount proc|Can't mount proc/.test(failure)) {
    return ": the container hides parts of /proc; start it with --security-opt systempaths=unconfined";
  }
  return "";
}
