import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { WorkspaceRoot } from "../jail/path-rules.ts";
import { pathBelow } from "../jail/walk.ts";
import type { NetworkProxy, ServedNetwork } from "../network/network-proxy.ts";
import { proxyEnvironment, relayPort, relayScript } from "../network/relay-script.ts";
import type { PreparedCommand, Sandbox, SandboxedCommand, SandboxView } from "./sandbox.ts";
import { seccompProgram } from "./seccomp.ts";
import { findProgram, systemFolders, systemSettings } from "./system-paths.ts";

/** Where bubblewrap is. `/usr/bin` first: the profiles of AppArmor name that path. */
const programs: readonly string[] = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/** The path of bubblewrap; undefined: it is not installed. */
export function findBubblewrap(): string | undefined {
  return findProgram(programs);
}

/** The home folder inside: it is empty, and gone after the command. */
const home = "/tmp/home";

/** Node.js inside, for the relay of the network. */
const nodeInside = "/run/toolweave/node";

/** Descriptors of a command: the filter of system calls, the options of bubblewrap, and the network. */
const filterDescriptor = 3;
const optionsDescriptor = 4;
const networkDescriptor = 5;

/**
 * The options of bubblewrap without the command: own namespaces for users, processes, network, IPC and names; no
 * capabilities; only the system's programs, the roots and empty folders are there; everything ends with the command, or
 * with its parent.
 */
function bubblewrapOptions(
  { roots, protectedPaths, hiddenPaths, readPaths }: SandboxView,
  { cwd, env }: Pick<SandboxedCommand, "cwd" | "env">,
  { emptyFile, hasNetwork }: { readonly emptyFile: string; readonly hasNetwork: boolean },
): readonly string[] {
  const environment = Object.entries({
    ...env,
    ...(hasNetwork ? proxyEnvironment : {}),
    HOME: home,
    TMPDIR: "/tmp",
  });
  return [
    ...["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"],
    ...environment.flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--ro-bind", "/usr", "/usr"],
    ...systemFolders.flatMap(systemFolder),
    ...systemSettings.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--dir", home],
    ...(hasNetwork ? ["--ro-bind", process.execPath, nodeInside] : []),
    ...readPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    // The outer ones first: a mount hides those that were made below it before.
    ...[...roots, ...findParents(protectedPaths, roots)]
      .toSorted((a, b) => a.path.length - b.path.length)
      .flatMap(({ path, access }) => [
        access === "write" ? "--bind-try" : "--ro-bind-try",
        path,
        path,
      ]),
    ...protectedPaths.flatMap((path) => ["--ro-bind-try", path, path]),
    ...hiddenPaths.flatMap((path) =>
      isFolder(path) ? ["--tmpfs", path] : ["--ro-bind", emptyFile, path],
    ),
    ...["--chdir", cwd, "--seccomp", `${filterDescriptor}`],
  ];
}

/**
 * The folders between protected paths and their roots. Each is mounted on itself, since the kernel
 * renames no mount point (`EBUSY`, rename(2)), but it does rename a folder around one: `mv .git .g` would make room for
 * another `.git` with hooks of its own.
 */
function findParents(
  protectedPaths: readonly string[],
  roots: readonly WorkspaceRoot[],
): readonly WorkspaceRoot[] {
  const found = new Set<string>();
  for (const path of protectedPaths) {
    const around = roots
      .filter((root) => pathBelow(root.path, path) !== undefined)
      .toSorted((a, b) => b.path.length - a.path.length);
    const [innermost] = around;
    if (innermost?.access !== "write") continue;
    for (let at = dirname(path); at.length > innermost.path.length; at = dirname(at)) found.add(at);
  }
  for (const { path } of roots) found.delete(path);
  return [...found].map((path) => ({ path, access: "write" }));
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

/** Parts of a sandbox of bubblewrap. */
export interface BubblewrapParts {
  /** The path of bubblewrap. */
  readonly program: string;
  /** Called for each command: files come and go. */
  readonly view: () => SandboxView;
  /** Connects commands to allowed hosts. Default: commands have no network. */
  readonly network?: NetworkProxy | undefined;
}

/** A sandbox of namespaces, made by bubblewrap. Whether it holds on this machine is for probes to find out. */
export class BubblewrapSandbox implements Sandbox {
  readonly level = "bwrap";
  readonly isIsolated = true;
  readonly hidesNetwork = true;
  readonly guardsProtectedFiles = true;
  readonly #parts: BubblewrapParts;
  /** The folder of the files that bubblewrap reads. */
  #folder: string | undefined;

  constructor(parts: BubblewrapParts) {
    this.#parts = parts;
  }

  prepare(command: SandboxedCommand): PreparedCommand {
    const { program, view, network } = this.#parts;
    const folder = (this.#folder ??= makeFolder());
    const options = bubblewrapOptions(view(), command, {
      emptyFile: join(folder, "empty"),
      hasNetwork: network !== undefined,
    });
    // A new descriptor for each command: bubblewrap reads it to its end.
    const filter = openSync(join(folder, "filter"), "r");
    const relay = [nodeInside, "-e", relayScript(), `${networkDescriptor}`, `${relayPort}`];
    let served: ServedNetwork | undefined;
    return {
      argv: [
        program,
        "--args",
        `${optionsDescriptor}`,
        "--",
        ...(network === undefined ? [] : relay),
        ...command.argv,
      ],
      cwd: "/",
      // Only bubblewrap has it: the command has that of its options.
      env: { PATH: "/usr/bin:/bin", TOOLWEAVE_CALL: command.env["TOOLWEAVE_CALL"] ?? "" },
      descriptors: [filter, "pipe", ...(network === undefined ? [] : (["pipe"] as const))],
      onSpawn: ([optionsPipe, networkPipe]: readonly Duplex[]) => {
        // Not as arguments, which all users of the machine see: variables may contain credentials.
        optionsPipe?.on("error", () => {});
        optionsPipe?.end(options.map((option) => `${option}\0`).join(""));
        if (networkPipe !== undefined) served = network?.serve(networkPipe);
      },
      notes: () =>
        served === undefined || served.refused.size === 0
          ? []
          : [`connections that the workspace does not allow: ${[...served.refused].join(", ")}`],
      close: () => closeSync(filter),
    };
  }

  /** Removes the files that bubblewrap reads. */
  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

function makeFolder(): string {
  const filter = seccompProgram();
  if (filter === undefined)
    throw new Error(`there is no filter of system calls for ${process.arch}`);
  const folder = mkdtempSync(join(tmpdir(), "toolweave-sandbox-"));
  writeFileSync(join(folder, "filter"), filter, { mode: 0o600 });
  writeFileSync(join(folder, "empty"), "", { mode: 0o644 });
  return folder;
}
