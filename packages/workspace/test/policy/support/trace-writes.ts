import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether this machine has what the runs below need. */
export const hasTracer: boolean =
  process.platform === "linux" &&
  spawnSync("strace", ["-qq", "-e", "trace=none", "true"]).status === 0;

/** A command that was run, with the files that it wrote. */
export interface TracedRun<Prepared> {
  readonly argv: readonly string[];
  /** Returned by `prepare` before the command ran. */
  readonly prepared: Prepared;
  /** The folder in which it ran. Beside it is `outside`. */
  readonly folder: string;
  /** Absolute paths that it changed, made, removed, or opened for writing and left there. */
  readonly written: readonly string[];
}

const batch = 500;

/**
 * Runs commands, each in a folder of its own with the same files, and calls `examine` before its folder is removed. The
 * system calls of all programs are recorded. They run without rights, so that none changes the machine.
 */
export function traceWrites<Prepared>(
  commands: readonly (readonly string[])[],
  prepare: (argv: readonly string[], folder: string) => Prepared,
  examine: (run: TracedRun<Prepared>) => void,
): void {
  for (let at = 0; at < commands.length; at += batch) {
    runBatch(commands.slice(at, at + batch), prepare, examine);
  }
}

function runBatch<Prepared>(
  commands: readonly (readonly string[])[],
  prepare: (argv: readonly string[], folder: string) => Prepared,
  examine: (run: TracedRun<Prepared>) => void,
): void {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolweave-traced-")));
  try {
    chmodSync(root, 0o777);
    const folders = commands.map((_, index) => makeFolders(join(root, `c${index}`)));
    const prepared = commands.map((argv, index) => prepare(argv, folders[index] as string));
    const before = folders.map((folder) => snapshot(join(folder, "..")));
    const script = commands.map((argv, index) => {
      const words = argv.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
      return `( cd '${folders[index] as string}' && exec ${words} )`;
    });
    writeFileSync(join(root, "run.sh"), `ulimit -t 1 -f 4096\n${script.join("\n")}\n`);
    const isRoot = process.getuid?.() === 0;
    const rights = isRoot
      ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
      : [];
    const log = join(root, "log");
    const calls = "trace=open,openat,creat,truncate";
    const { status, stderr } = spawnSync(
      "strace",
      [
        "-f",
        "-qq",
        "-y",
        "--seccomp-bpf",
        "-s",
        "4096",
        "-e",
        calls,
        "-o",
        log,
        ...rights,
        "bash",
        join(root, "run.sh"),
      ],
      {
        cwd: root,
        env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TMPDIR: join(root, "none") },
        input: "",
        stdio: ["pipe", "ignore", "pipe"],
        timeout: 300_000,
        maxBuffer: 1 << 26,
      },
    );
    if (status === null)
      throw new Error(`the commands did not end: ${stderr.toString().slice(0, 500)}`);
    const opened = readLog(log);
    for (const [index, argv] of commands.entries()) {
      const folder = folders[index] as string;
      const around = join(folder, "..");
      const changed = compare(before[index] as Snapshot, snapshot(around));
      const own = opened.filter((path) => path.startsWith(`${around}/`) && exists(path));
      const elsewhere = opened.filter((path) => !path.startsWith(`${root}/`));
      examine({
        argv,
        prepared: prepared[index] as Prepared,
        folder,
        written: [...new Set([...changed, ...own, ...(index === 0 ? elsewhere : [])])],
      });
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function makeFolders(around: string): string {
  const folder = join(around, "ws");
  for (const path of [around, folder, join(folder, "d"), join(around, "outside")]) {
    mkdirSync(path);
    chmodSync(path, 0o777);
  }
  const files = ["a", "b.txt", "d/x", "-n", "../outside/o"];
  for (const name of files) {
    writeFileSync(join(folder, name), `${name}\nline 2\nline 3\n`, { mode: 0o666 });
    chmodSync(join(folder, name), 0o666);
  }
  symlinkSync("../outside/o", join(folder, "link"));
  symlinkSync("../outside", join(folder, "out"));
  return folder;
}

type Snapshot = ReadonlyMap<string, string>;

function snapshot(folder: string): Snapshot {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) found.set(path, `link to ${readlinkSync(path)}`);
    else if (stat.isDirectory()) {
      found.set(path, "folder");
      for (const name of readdirSync(path)) visit(join(path, name));
    } else found.set(path, stat.isFile() ? `${stat.ino} ${readText(path)}` : "other");
  };
  visit(folder);
  return found;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "not readable";
  }
}

function compare(before: Snapshot, after: Snapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The files that were opened for writing, without links. */
function readLog(path: string): readonly string[] {
  return readFileSync(path, "latin1")
    .split("\n")
    .flatMap((line) => {
      if (!/O_WRONLY|O_RDWR|O_TRUNC|\bcreat\(/.test(line)) return [];
      const opened = / = \d+<(.*)>$/.exec(line)?.[1];
      return opened === undefined || opened.startsWith("/dev/") ? [] : [opened];
    });
}
