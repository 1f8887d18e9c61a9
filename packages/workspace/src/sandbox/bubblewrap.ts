import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceRoot } from "../jail/path-rules.ts";
import { seccompProgram } from "./seccomp.ts";
import type { Sandbox, SandboxedCommand } from "./sandbox.ts";

/** The part of the file system that commands in a sandbox see. */
export interface SandboxView {
  readonly roots: readonly WorkspaceRoot[];
  /** Paths in the roots that can be read but not written. */
  readonly protectedPaths: readonly string[];
  /** Files and folders in the roots that are empty inside. */
  readonly hiddenPaths: readonly string[];
  /** An empty file, in place of the hidden ones. */
  readonly emptyFile: string;
  /** Folders outside of the roots that can be read: tools that are not below `/usr`. */
  readonly readPaths: readonly string[];
}

/** Where bubblewrap is. `/usr/bin` first: the profiles of AppArmor name that path. */
const programs: readonly string[] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/** The path of bubblewrap; undefined: it is not installed. */
export function findBubblewrap(): string | undefined {
  return process.platform === "linux" ? programs.find((path) => existsSync(path)) : undefined;
}

/** The home folder inside: it is empty, and gone after the command. */
const home = "/tmp/home";

/** Folders of the system that are links on most systems, and folders on some. */
const systemFolders: readonly string[] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Files of `/etc` that programs need, without those that name accounts of services or keys. */
const settings: readonly string[] = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
];

/**
 * The options of bubblewrap without the command: own namespaces for users, processes, network, IPC and names; no
 * capabilities; only the system's programs, the roots and empty folders are there; everything ends with the command, or
 * with its parent.
 *
 * @param seccompDescriptor the descriptor of a filter of system calls; undefined: without one.
 */
function bubblewrapOptions(
  { roots, protectedPaths, hiddenPaths, emptyFile, readPaths }: SandboxView,
  { cwd, env }: Pick<SandboxedCommand, "cwd" | "env">,
  seccompDescriptor: number | undefined,
): readonly string[] {
  const environment = Object.entries({ ...env, HOME: home, TMPDIR: "/tmp" });
  return [
    ...["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"],
    ...environment.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--ro-bind", "/usr", "/usr"],
    ...systemFolders.flatMap(systemFolder),
    ...settings.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", home],
    ...readPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    ...roots.flatMap(({ path, access }) => [
      access === "write" ? "--bind" : "--ro-bind",
      path,
      path,
    ]),
    ...protectedPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    ...hiddenPaths.flatMap((path) =>
      isFolder(path) ? ["--tmpfs", path] : ["--ro-bind", emptyFile, path],
    ),
    ...["--chdir", cwd],
    ...(seccompDescriptor === undefined ? [] : ["--seccomp", `${seccompDescriptor}`]),
  ];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function systemFolder(path: string): readonly string[] {
  try {
    if (lstatSync(path).isSymbolicLink()) return ["--symlink", readlinkSync(path), path];
    return ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

/**
 * A sandbox of namespaces, made by bubblewrap. Whether it holds on this machine is for probes to find out.
 *
 * @param view called for each command: files come and go.
 */
export class BubblewrapSandbox implements Sandbox {
  readonly level = "bwrap";
  readonly hidesNetwork = true;
  readonly #program: string;
  readonly #view: () => Omit<SandboxView, "emptyFile">;
  /** The folder of the files that bubblewrap reads. */
  #folder: string | undefined;

  constructor(program: string, view: () => Omit<SandboxView, "emptyFile">) {
    this.#program = program;
    this.#view = view;
  }

  prepare(command: SandboxedCommand): ReturnType<Sandbox["prepare"]> {
    const folder = (this.#folder ??= makeFolder());
    // A new descriptor for each command: bubblewrap reads it to its end.
    const filter =
      seccompProgram() === undefined ? undefined : openSync(join(folder, "filter"), "r");
    const view = { ...this.#view(), emptyFile: join(folder, "empty") };
    const options = bubblewrapOptions(view, command, filter === undefined ? undefined : 3);
    return {
      argv: [this.#program, ...options, "--", ...command.argv],
      cwd: "/",
      // Only bubblewrap has it: the command has that of its options.
      env: { PATH: "/usr/bin:/bin", TOOLWEAVE_CALL: command.env["TOOLWEAVE_CALL"] ?? "" },
      descriptors: filter === undefined ? [] : [filter],
      close: () => {
        if (filter !== undefined) closeSync(filter);
      },
    };
  }

  /** Removes the files that bubblewrap reads. */
  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-sandbox-"));
  writeFileSync(join(folder, "filter"), seccompProgram() ?? "", { mode: 0o600 });
  writeFileSync(join(folder, "empty"), "", { mode: 0o644 });
  return folder;
}
