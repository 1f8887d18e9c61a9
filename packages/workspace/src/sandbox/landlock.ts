import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { arch, tmpdir } from "node:os";
import { join } from "node:path";
import type { PreparedCommand, Sandbox, SandboxedCommand, SandboxView } from "./sandbox.ts";
import { seccompProgram } from "./seccomp.ts";
import { findProgram, systemFolders, systemSettings } from "./system-paths.ts";

/** Debian, Ubuntu, Fedora and most images with git have it. */
const programs: readonly string[] = ["/usr/bin/perl", "/bin/perl", "/usr/local/bin/perl"];

/** The path of Perl, which makes the system calls of Landlock; undefined: it is not installed. */
export function findPerl(): string | undefined {
  return findProgram(programs);
}

/** Numbers of the calls `prctl`, `capset` and `seccomp`. Those of Landlock are the same on all architectures. */
const callNumbers: Readonly<
  Record<string, readonly [prctl: number, capset: number, seccomp: number]>
> = {
  x64: [157, 126, 317],
  arm64: [167, 91, 277],
};

/** Devices that programs need. */
const devices: readonly string[] = ["null", "zero", "full", "random", "urandom"].map(
  (name) => `/dev/${name}`,
);

/**
 * Restricts itself and becomes the command. Its arguments: the numbers of the calls, the filter of system calls in
 * hexadecimal, paths as `r:/path` (read), `w:/path` (write) or `d:/path` (a device), `--`, and the command.
 *
 * Landlock: https://docs.kernel.org/userspace-api/landlock.html. It refuses what no rule allows: all rights to files up to
 * ABI 5, connections over TCP (ABI 4), signals and abstract sockets to other processes (ABI 6). The superuser gives up its
 * capabilities, which would let it read the environment of other processes.
 */
const launcher = String.raw`
use strict;
my ($prctl, $capset, $seccomp, $hex) = splice(@ARGV, 0, 4);
my $zero = 0;
my $abi = syscall(444, $zero, $zero, 1);
die "landlock: the kernel has version $abi of Landlock, and 3 is needed\n" if $abi < 3;
my $all = $abi >= 5 ? 0xffff : 0x7fff;
my $attributes = pack("QQQ", $all, $abi >= 4 ? 3 : 0, $abi >= 6 ? 3 : 0);
my $ruleset = syscall(444, $attributes, $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0);
die "landlock: no ruleset: $!\n" if $ruleset < 0;
while (defined(my $rule = shift @ARGV)) {
  last if $rule eq "--";
  my ($use, $path) = $rule =~ /^(.):(.*)$/s or die "landlock: invalid rule\n";
  my $rights = $use eq "r" ? 0xd : $use eq "d" ? 0x6 : $all;
  sysopen(my $handle, $path, 0x280000) or next;
  $rights &= 0xc007 unless -d $path;
  my $beneath = pack("Ql", $rights & $all, fileno($handle));
  die "landlock: no rule for $path: $!\n" if syscall(445, $ruleset, 1, $beneath, 0) < 0;
  close($handle);
}
die "landlock: no command\n" unless @ARGV;
die "landlock: privileges: $!\n" if syscall($prctl + 0, 38, 1, 0, 0, 0) < 0;
my $header = pack("LL", 0x20080522, 0);
my $none = pack("L6", (0) x 6);
die "landlock: capabilities: $!\n" if syscall($capset + 0, $header, $none) < 0;
die "landlock: refused: $!\n" if syscall(446, $ruleset + 0, 0) < 0;
my $filter = pack("H*", $hex);
my $program = pack("S x6 P", length($filter) / 8, $filter);
die "landlock: filter: $!\n" if syscall($seccomp + 0, 1, 0, $program) < 0;
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
`;

/**
 * A sandbox without namespaces, for machines on which they cannot be made: the kernel refuses commands what is outside of
 * the roots, and every socket. Processes of the host are visible, and rules for files within a root do not hold.
 */
export class LandlockSandbox implements Sandbox {
  readonly level = "landlock";
  readonly isIsolated = false;
  readonly hidesNetwork = true;
  readonly guardsProtectedFiles = false;
  readonly #perl: string;
  readonly #view: () => Pick<SandboxView, "roots" | "readPaths">;
  /** The folder for temporary files of commands. */
  #folder: string | undefined;

  constructor(perl: string, view: () => Pick<SandboxView, "roots" | "readPaths">) {
    this.#perl = perl;
    this.#view = view;
  }

  prepare({ argv, cwd, env }: SandboxedCommand): PreparedCommand {
    const numbers = callNumbers[arch()];
    const filter = seccompProgram({ sockets: "none" });
    if (numbers === undefined || filter === undefined) {
      throw new Error(`Landlock is not supported on ${arch()}`);
    }
    const { roots, readPaths } = this.#view();
    const temporary = (this.#folder ??= realpathSync(
      mkdtempSync(join(tmpdir(), "toolweave-sandbox-")),
    ));
    const rules = [
      ...["/usr", ...systemFolders, ...systemSettings, "/proc", ...readPaths].map(
        (path) => `r:${path}`,
      ),
      ...devices.map((path) => `d:${path}`),
      `w:${temporary}`,
      ...roots.map(({ path, access }) => `${access === "write" ? "w" : "r"}:${path}`),
    ];
    return {
      argv: [
        this.#perl,
        "-e",
        launcher,
        ...numbers.map(String),
        filter.toString("hex"),
        ...rules,
        "--",
        ...argv,
      ],
      cwd,
      env: { ...env, HOME: temporary, TMPDIR: temporary },
      descriptors: [],
      close: () => {},
    };
  }

  /** Removes the temporary files of commands. */
  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
