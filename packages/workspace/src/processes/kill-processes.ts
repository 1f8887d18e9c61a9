import { readdirSync, readFileSync } from "node:fs";

/** Sends a signal to a process and its group. False: there is none any more. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * The processes that a command has started, also those that have left its group: all have its call id in their
 * environment, unless they have removed it. Only on Linux.
 */
function findCallProcesses(callId: string): readonly number[] {
  const mark = `TOOLWEAVE_CALL=${callId}`;
  const found: number[] = [];
  for (const name of listProcesses()) {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "utf8");
      if (environment.split("\0").includes(mark)) found.push(Number(name));
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return found;
}

function listProcesses(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Kills the processes of a call that are still there. Returns their number. */
export function killCallProcesses(callId: string): number {
  return killAll(() => findCallProcesses(callId));
}

/** The searches for processes that have started others while they were looked for. */
const maxRounds = 10;

/** Kills the processes that are found, and those that they have started meanwhile. Returns their number. */
export function killAll(find: () => readonly number[]): number {
  const killed = new Set<number>();
  for (let round = 0; round < maxRounds; round++) {
    const found = find().filter((pid) => !killed.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
  }
  return killed.size;
}
