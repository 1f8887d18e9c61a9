import { ToolError } from "@toolweave/core";
import { checks, type OptionCheck, type OptionChecks } from "@toolweave/core/adapter";
import type { NetworkRules } from "@toolweave/http";
import { BubblewrapSandbox, findBubblewrap } from "./bubblewrap.ts";
import { findPerl, LandlockSandbox } from "./landlock.ts";
import { probeList, type ProbeName } from "./probe-script.ts";
import { probeSandbox, type ProbeReport } from "./probe-sandbox.ts";
import { noSandbox, type Sandbox, type SandboxView } from "./sandbox.ts";

/** A level of isolation that this package has, the strongest first. */
export type SandboxLevel = "bwrap" | "landlock" | "none";

/**
 * The sandbox for commands. `auto`: the strongest level that holds on this machine; `required`: the same, but at least
 * `landlock`; a level: that level alone; a sandbox: one of the host.
 */
export type SandboxChoice = "auto" | "required" | SandboxLevel | Sandbox;

const sandboxWord = checks.oneOf("auto", "required", "bwrap", "landlock", "none");

/** A host's own sandbox may have further members. */
const ownSandbox: OptionChecks<Sandbox> = {
  level: checks.required(checks.filledText),
  isIsolated: checks.required(checks.flag),
  hidesNetwork: checks.required(checks.flag),
  guardsProtectedFiles: checks.required(checks.flag),
  prepare: checks.required(checks.callback),
  close: checks.callback,
};

export const sandboxCheck: OptionCheck = {
  check(place, value) {
    if (typeof value !== "object" || value === null) return sandboxWord.check(place, value);
    for (const [name, one] of Object.entries<OptionCheck>(ownSandbox)) {
      const member = (value as Readonly<Record<string, unknown>>)[name];
      if (member !== undefined || one.isRequired === true) one.check(`${place}.${name}`, member);
    }
  },
};

/** The findings about a level on this machine. */
export interface LevelReport {
  readonly level: SandboxLevel;
  /** It starts, and no escape that it guarantees to prevent has succeeded. */
  readonly holds: boolean;
  /** Why it cannot be used, and what to do; undefined: it can. */
  readonly reason?: string;
  /** The escapes that were tried and have failed. */
  readonly prevented: readonly ProbeName[];
  /** The escapes that have succeeded, also those that it does not guarantee to prevent. */
  readonly open: readonly ProbeName[];
}

/** A sandbox and what was found out about the levels that were tried. */
export interface ChosenSandbox {
  readonly sandbox: Sandbox;
  readonly tried: readonly LevelReport[];
}

/** Programs in other places than usual, and the options of the workspace. */
export interface SandboxParts {
  readonly view: () => SandboxView;
  /** Hosts that commands may connect to. Default: none. */
  readonly network?: NetworkRules | undefined;
  /** Default: where it usually is. `null`: none. */
  readonly bubblewrap?: string | null;
  /** Default: where it usually is. `null`: none. */
  readonly perl?: string | null;
}

/** Escapes that Landlock does not prevent; signals only from Linux 6.12 on. */
const beyondLandlock: ReadonlySet<ProbeName> = new Set([
  "protected file",
  "hidden file",
  "host process",
  "signal",
  "survivor",
]);

/** The escapes that a level is guaranteed to prevent. */
function getGuarantees(level: SandboxLevel): readonly ProbeName[] {
  if (level === "none") return [];
  return level === "bwrap" ? probeList : probeList.filter((name) => !beyondLandlock.has(name));
}

/** The results of probes: they depend on the machine and the program alone. */
const probed = new Map<string, Promise<ProbeReport>>();

/**
 * Finds the sandbox for commands. A level is used only after its probes have failed to escape on this machine.
 *
 * @throws ToolError `unavailable` (by rejecting) when no level that was asked for holds; the text says why, and what to do.
 */
export async function chooseSandbox(
  choice: SandboxChoice,
  parts: SandboxParts,
): Promise<ChosenSandbox> {
  if (typeof choice === "object") return { sandbox: choice, tried: [] };
  if (choice === "none") return { sandbox: noSandbox, tried: [] };
  const levels =
    choice === "bwrap" || choice === "landlock" ? [choice] : (["bwrap", "landlock"] as const);
  const tried: LevelReport[] = [];
  for (const level of levels) {
    const found = level === "bwrap" ? await tryBubblewrap(parts) : await tryLandlock(parts);
    tried.push(found.report);
    if (found.sandbox !== undefined) return { sandbox: found.sandbox, tried };
  }
  if (choice === "auto") return { sandbox: noSandbox, tried };
  const reasons = tried.map(({ reason }) => reason).join("; ");
  throw new ToolError(
    "unavailable",
    `No command is run, since the workspace requires a sandbox: ${reasons}.`,
  );
}

/**
 * Tries to escape from each level of isolation on this machine. A workspace uses the first one that holds.
 *
 * @returns a report for each level, the strongest first.
 */
export async function examineSandboxes(): Promise<readonly LevelReport[]> {
  return examineLevels({
    view: () => ({ roots: [], protectedPaths: [], hiddenPaths: [], readPaths: [] }),
  });
}

/** The same with programs in other places. */
export async function examineLevels(parts: SandboxParts): Promise<readonly LevelReport[]> {
  const found = [await tryBubblewrap(parts), await tryLandlock(parts)];
  return found.map(({ report, sandbox }) => {
    void sandbox?.close?.();
    return report;
  });
}

interface TriedLevel {
  readonly report: LevelReport;
  readonly sandbox?: Sandbox;
}

async function tryBubblewrap({ view, network, bubblewrap }: SandboxParts): Promise<TriedLevel> {
  const program = bubblewrap === undefined ? findBubblewrap() : (bubblewrap ?? undefined);
  if (program === undefined) {
    return missing("bwrap", "bubblewrap is not installed: install the package bubblewrap");
  }
  // Loaded on demand: most workspaces have no network.
  const proxies = network === undefined ? undefined : await import("../network/network-proxy.ts");
  const closed = proxies === undefined ? undefined : new proxies.NetworkProxy({});
  const probes = await probe(
    `bwrap ${program} ${network !== undefined}`,
    "bwrap",
    (probeView) => new BubblewrapSandbox({ program, view: () => probeView, network: closed }),
  );
  const report = toReport("bwrap", "bubblewrap", probes, adviceForBubblewrap);
  if (!report.holds) return { report };
  const proxy =
    network === undefined || proxies === undefined ? undefined : new proxies.NetworkProxy(network);
  return { report, sandbox: new BubblewrapSandbox({ program, view, network: proxy }) };
}

async function tryLandlock({ view, perl }: SandboxParts): Promise<TriedLevel> {
  const program = perl === undefined ? findPerl() : (perl ?? undefined);
  if (program === undefined) {
    return missing(
      "landlock",
      "Landlock needs Perl, which is not installed: install the package perl-base",
    );
  }
  const probes = await probe(
    `landlock ${program}`,
    "landlock",
    (probeView) => new LandlockSandbox(program, () => probeView),
  );
  const report = toReport("landlock", "Landlock", probes, () => "");
  return report.holds ? { report, sandbox: new LandlockSandbox(program, view) } : { report };
}

function missing(level: SandboxLevel, reason: string): TriedLevel {
  return { report: { level, holds: false, reason, prevented: [], open: [] } };
}

function probe(
  key: string,
  level: SandboxLevel,
  make: (view: SandboxView) => Sandbox,
): Promise<ProbeReport> {
  let probes = probed.get(key);
  if (probes === undefined) {
    probes = probeSandbox(make, getGuarantees(level));
    probed.set(key, probes);
  }
  return probes;
}

function toReport(
  level: SandboxLevel,
  name: string,
  probes: ProbeReport,
  adviceFor: (failure: string) => string,
): LevelReport {
  const { holds, failure, escaped, open } = probes;
  const prevented = failure === undefined ? probeList.filter((name) => !open.includes(name)) : [];
  if (holds) return { level, holds, prevented, open };
  const reason =
    failure === undefined
      ? `${name} does not hold on this machine: ${escaped.join(", ")}`
      : `${name} cannot be used on this machine (${failure})${adviceFor(failure)}`;
  return { level, holds, reason, prevented, open };
}

/** The remedy for usual failures. */
function adviceForBubblewrap(failure: string): string {
  if (
    /RTM_NEWADDR|setting up uid map|Operation not permitted|No permissions to create new namespace|Creating new namespace failed/.test(
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
