import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";

const shell = "/bin/sh";

/** Only the host holds the other end of its input: the end of the input is the end of the host. */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) groups="$groups$pid " ;;
    -*) case $groups in *" $pid "*) groups="\${groups%%" $pid "*} \${groups#*" $pid "}" ;; esac ;;
  esac
done
signal() {
  left=1
  for pid in $groups; do kill -s "$1" -- "-$pid" && left=0; done 2>/dev/null
  return $left
}
signal 0 && sleep 1 && signal TERM && sleep 1
signal KILL
`;

/**
 * Announces itself to the watchdog before it becomes the program, so that the watchdog knows every program at any
 * moment, whatever happens to the host. The variables that the shell adds to the environment are removed.
 */
const launch = '(echo "+$$" >&3) 2>/dev/null; unset PWD OLDPWD SHLVL; exec "$@" 3>&-';

/** Command that starts a watched program. */
interface WatchedStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Stream for the fourth descriptor of the program. */
  readonly channel: Socket;
}

/**
 * Ends the process groups of a host that was killed: a shell of some hundred kilobytes, shared by all servers of a
 * process, which runs while any of them does. Not on Windows, and not where there is no shell.
 */
class Watchdog {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;
  #starting = 0;

  /**
   * Returns the command that starts a program under watch; `undefined`: it cannot be watched. `started` must be
   * called afterwards.
   */
  start(command: string, args: readonly string[]): WatchedStart | undefined {
    if (process.platform === "win32" || !existsSync(shell)) return undefined;
    this.#starting += 1;
    const { stdin } = (this.#shell ??= this.#begin());
    return {
      command: shell,
      args: ["-c", launch, shell, command, ...args],
      channel: stdin as Socket,
    };
  }

  /** @param group Process group of the program; `undefined`: it could not be started. */
  started(group: number | undefined): void {
    this.#starting -= 1;
    if (group !== undefined) this.#groups.add(group);
    this.#endUnneeded();
  }

  /** A group has ended. */
  ended(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#send(`-${group}`);
    this.#endUnneeded();
  }

  #begin(): ChildProcess {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const started = spawn(shell, ["-c", script, "toolweave-watchdog"], {
      cwd: "/",
      env: { PATH },
      stdio: ["pipe", "ignore", "ignore"],
      // Signals to the host's group do not reach it.
      detached: true,
    });
    const gone = (): void => {
      if (this.#shell === started) this.#shell = undefined;
    };
    started.on("error", gone).on("exit", gone).unref();
    const stdin = started.stdin as Socket;
    stdin.on("error", gone).unref();
    // The groups of an earlier watchdog that was killed.
    for (const group of this.#groups) stdin.write(`+${group}\n`);
    return started;
  }

  #send(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #endUnneeded(): void {
    if (this.#groups.size > 0 || this.#starting > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

/** The watchdog of this process. */
export const watchdog: Watchdog = new Watchdog();

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
