import { readdirSync, readFileSync } from "node:fs";

/** A process that was started by another one. */
export interface StartedProcess {
  readonly pid: number;
  /** `chrome` */
  readonly name: string;
  /** Distinguishes it from a later process with the same id. */
  readonly startedAt: string;
}

interface Stat extends StartedProcess {
  readonly group: number;
  readonly isDead: boolean;
}

/**
 * Finds the descendants of a process that are not in its group: they have detached themselves. Works on Linux only;
 * descendants whose parents have ended are not found.
 */
export function detachedProcesses(leader: number): readonly StartedProcess[] {
  const detached: StartedProcess[] = [];
  const waiting = [leader];
  const seen = new Set(waiting);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of listChildren(pid)) {
      if (seen.has(child)) continue;
      seen.add(child);
      waiting.push(child);
      const stat = readStat(child);
      if (stat !== undefined && stat.group !== leader) detached.push(stat);
    }
  }
  return detached;
}

/** True if the process still exists. */
export function isAlive({ pid, startedAt }: StartedProcess): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startedAt === startedAt && !stat.isDead;
}

function listChildren(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
        .split(" ")
        .filter((child) => child !== "")
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** proc_pid_stat(5) */
function readStat(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name may contain any characters.
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const [state = "", , group = ""] = fields;
    return {
      pid,
      name: stat.slice(stat.indexOf("(") + 1, end),
      group: Number(group),
      startedAt: fields[19] ?? "",
      isDead: /[ZX]/.test(state),
    };
  } catch {
    return undefined;
  }
}
