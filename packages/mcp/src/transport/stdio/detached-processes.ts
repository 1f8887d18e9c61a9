import { readdirSync, readFileSync } from "node:fs";

/** A process that somebody has started. */
export interface StartedProcess {
  readonly pid: number;
  /** `chrome` */
  readonly name: string;
  /** Of two with one number it is another one. */
  readonly startedAt: string;
}

interface Stat extends StartedProcess {
  readonly group: number;
  readonly isDead: boolean;
}

/**
 * What a process has started, and what that has, that is in none of its group: it has detached itself. Only Linux tells;
 * elsewhere, and of those whose parents have ended, nobody knows.
 */
export function detachedProcesses(leader: number): readonly StartedProcess[] {
  const detached: StartedProcess[] = [];
  const waiting = [leader];
  const seen = new Set(waiting);
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of childrenOf(pid)) {
      if (seen.has(child)) continue;
      seen.add(child);
      waiting.push(child);
      const stat = statOf(child);
      if (stat !== undefined && stat.group !== leader) detached.push(stat);
    }
  }
  return detached;
}

/** It is still there. */
export function isAlive({ pid, startedAt }: StartedProcess): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.startedAt === startedAt && !stat.isDead;
}

function childrenOf(pid: number): readonly number[] {
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
function statOf(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name may hold anything.
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
