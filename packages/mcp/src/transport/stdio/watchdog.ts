import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";

const shell = "/bin/sh";

/** Only the host holds the other end of its input, so that the end of it is the end of the host. */
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
 * Announces itself to the watchdog before it becomes the program: whatever happens to the host, there is no moment in
 * which nobody knows of it. What the shell adds to the environment goes again.
 */
const launch = '(echo "+$$" >&3) 2>/dev/null; unset PWD OLDPWD SHLVL; exec "$@" 3>&-';

/** How a program is started under watch. */
interface WatchedStart {
  readonly command: string;
  readonly args: readonly string[];
  /** What the fourth descriptor has to be. */
  readonly channel: Socket;
}

/**
 * Ends process groups of a host that was killed and could not do so itself: a shell, some hundred kilobytes large, one for all
 * servers of a process, there while any of them is. Not on Windows, and not where there is no shell.
 */
class Watchdog {
  readonly #groups = new Set<number>();
  #shell: ChildProcess | undefined;
  #starting = 0;

  /**
   * How to start a program so that it is watched; `undefined`: nobody can watch it. To be followed by `started`.
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

  /** @param group the program's process group; `undefined`: it could not be started. */
  started(group: number | undefined): void {
    this.#starting -= 1;
    if (group !== undefined) this.#groups.add(group);
    this.#endUnneeded();
  }

  /** A group has ended. */
  ended(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#say(`-${group}`);
    this.#endUnneeded();
  }

  #begin(): ChildProcess {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const begun = spawn(shell, ["-c", script, "toolweave-watchdog"], {
      cwd: "/",
      env: { PATH },
      stdio: ["pipe", "ignore", "ignore"],
      // Whoever interrupts the host, or kills its group, does not reach it.
      detached: true,
    });
    const gone = (): void => {
      if (this.#shell === begun) this.#shell = undefined;
    };
    begun.on("error", gone).on("exit", gone).unref();
    const stdin = begun.stdin as Socket;
    stdin.on("error", gone).unref();
    // Those of one that somebody has ended.
    for (const group of this.#groups) stdin.write(`+${group}\n`);
    return begun;
  }

  #say(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }

  #endUnneeded(): void {
    if (this.#groups.size > 0 || this.#starting > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

/** That of this process. */
export const watchdog: Watchdog = new Watchdog();
