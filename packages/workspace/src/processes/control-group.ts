import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { killAll } from "./kill-processes.ts";

/** A controller of the kernel, with the file of its limit in both versions of control groups. */
interface Controller {
  readonly name: "pids" | "memory";
  readonly limitFile: string;
  readonly limitFileOfV1: string;
}

const controllers: readonly Controller[] = [
  { name: "pids", limitFile: "pids.max", limitFileOfV1: "pids.max" },
  { name: "memory", limitFile: "memory.max", limitFileOfV1: "memory.limit_in_bytes" },
];

/** The limits of a group. */
export interface GroupLimits {
  readonly processes: number;
  readonly memoryBytes: number;
}

const mountPoint = "/sys/fs/cgroup";
const groupName = /^toolweave-(\d+)-[\da-f]{12}$/;

/** Moves itself into groups, and becomes the command: nothing that the command starts is outside of them. */
const enterScript = `while [ "$1" != -- ]; do echo 0 > "$1" || exit 126; shift; done; shift; exec "$@"`;

/**
 * A control group of the kernel (https://docs.kernel.org/admin-guide/cgroup-v2.html) for one command: it limits processes
 * and memory, and knows every process that the command has started.
 */
export class ControlGroup {
  readonly #folders: readonly string[];
  /** The limits that the kernel enforces. */
  readonly enforced: ReadonlySet<"pids" | "memory">;

  private constructor(folders: ReadonlyMap<"pids" | "memory", string>) {
    this.#folders = [...new Set(folders.values())];
    this.enforced = new Set(folders.keys());
  }

  /** Makes a group. Undefined where this process may not. */
  static create(limits: GroupLimits): ControlGroup | undefined {
    const name = `toolweave-${process.pid}-${randomBytes(6).toString("hex")}`;
    const folders = new Map<"pids" | "memory", string>();
    for (const controller of controllers) {
      const folder = getParents(controller)
        .map((parent) => makeGroup(parent, name, controller, limits))
        .find((made) => made !== undefined);
      if (folder !== undefined) folders.set(controller.name, folder);
    }
    return folders.size === 0 ? undefined : new ControlGroup(folders);
  }

  /** The command that enters the group before anything else happens. */
  enter(argv: readonly [string, ...string[]]): [string, ...string[]] {
    const files = this.#folders.map((folder) => join(folder, "cgroup.procs"));
    return ["/bin/sh", "-c", enterScript, "sh", ...files, "--", ...argv];
  }

  /** Kills all processes of the group. Returns their number. */
  kill(): number {
    // No process starts another one from here on.
    for (const folder of this.#folders) writeLimit(join(folder, "pids.max"), 0);
    return killAll(() => this.#processes());
  }

  /** Removes the group, once all of its processes have ended. */
  remove(): void {
    for (const folder of this.#folders) removeGroup(folder);
  }

  #processes(): readonly number[] {
    return this.#folders.flatMap((folder) => {
      try {
        const text = readFileSync(join(folder, "cgroup.procs"), "utf8");
        return text.split("\n").filter(isRunning).map(Number);
      } catch {
        return [];
      }
    });
  }
}

/** False for a process that is just ending: it has no arguments any more. */
function isRunning(pid: string): boolean {
  if (pid === "") return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`).length > 0;
  } catch {
    return false;
  }
}

/** The groups in which one can be made: that of this process, and the one around it. Found once. */
function getParents(controller: Controller): readonly string[] {
  let parents = knownParents.get(controller.name);
  if (parents === undefined) {
    parents = findParents(controller);
    for (const parent of parents) removeLeftGroups(parent);
    knownParents.set(controller.name, parents);
  }
  return parents;
}

const knownParents = new Map<string, readonly string[]>();

function findParents({ name }: Controller): readonly string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [, names, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (names === undefined || path === undefined) return [];
    const base = names === "" ? mountPoint : join(mountPoint, names);
    if (names !== "" && !names.split(",").includes(name)) return [];
    // The path of a container's host does not exist in the container.
    const own = existsSync(join(base, path)) ? join(base, path) : base;
    return [...new Set([own, own === base ? own : dirname(own)])].filter(isWritable);
  });
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeGroup(
  parent: string,
  name: string,
  { name: controller, limitFile, limitFileOfV1 }: Controller,
  { processes, memoryBytes }: GroupLimits,
): string | undefined {
  const folder = join(parent, name);
  try {
    mkdirSync(folder, { recursive: true });
    const file = [limitFile, limitFileOfV1].find((one) => existsSync(join(folder, one)));
    if (file === undefined) {
      removeGroup(folder);
      return undefined;
    }
    writeFileSync(join(folder, file), `${controller === "pids" ? processes : memoryBytes}`);
    return folder;
  } catch {
    removeGroup(folder);
    return undefined;
  }
}

function writeLimit(file: string, value: number): void {
  try {
    writeFileSync(file, `${value}`, { flag: "r+" });
  } catch {
    // The group has no such limit.
  }
}

/** Removes groups of processes that have ended. */
function removeLeftGroups(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = groupName.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeGroup(join(parent, name));
  }
}

const removeRetryMs = 50;
const maxRemovals = 20;

/** A process that was killed stays in its group for a moment. */
function removeGroup(folder: string, tries = 0): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY" || tries === maxRemovals) return;
    setTimeout(() => removeGroup(folder, tries + 1), removeRetryMs).unref();
  }
}
