import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  statfsSync,
  type BigIntStats,
} from "node:fs";

/** `O_PATH` of Linux, which Node.js does not name: a descriptor that identifies an object and opens nothing. */
const O_PATH = 0o10000000;

/** True if the paths of this process's descriptors can be used in place of `openat`: on Linux with `/proc`. */
export const hasDescriptorPaths: boolean = process.platform === "linux" && isReadableProc();

function isReadableProc(): boolean {
  try {
    const fd = openSync("/", O_PATH | constants.O_DIRECTORY);
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === "/";
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}

/**
 * An object of the file system that was reached from a directory, and that stays the same object until it is closed. On
 * Linux it holds a descriptor, so that nothing that is renamed or replaced afterwards changes which object it is. On other
 * systems it is a path, and a replacement between two steps can be missed.
 */
export class Entry {
  /** The path under which the object itself is opened, or, if it is a directory, under which its members are. */
  readonly path: string;
  readonly #fd: number | undefined;
  #stat: BigIntStats | undefined;

  private constructor(path: string, fd: number | undefined) {
    this.path = path;
    this.#fd = fd;
  }

  /** Opens an object without following a link at the end of the path. Throws the error of the system. */
  static open(path: string): Entry {
    return Entry.#open(path, constants.O_NOFOLLOW);
  }

  /**
   * Opens an object, wherever links lead: its owner has to check `currentPath`. Only where there are descriptor paths.
   * Throws the error of the system.
   */
  static follow(path: string): Entry {
    return Entry.#open(path, 0);
  }

  static #open(path: string, flags: number): Entry {
    if (!hasDescriptorPaths) {
      const entry = new Entry(path, undefined);
      entry.#stat = lstatSync(path, { bigint: true });
      return entry;
    }
    const fd = openSync(path, O_PATH | flags);
    return new Entry(`/proc/self/fd/${fd}`, fd);
  }

  get stat(): BigIntStats {
    return (this.#stat ??= fstatSync(this.#fd as number, { bigint: true }));
  }

  /** Opens the member of a directory that has this name, without following a link. Throws the error of the system. */
  member(name: string): Entry {
    return Entry.open(`${this.path}/${name}`);
  }

  /** The kind of the object, as far as tools use it. */
  get kind(): "file" | "directory" | "link" | "other" {
    const { stat } = this;
    if (stat.isFile()) return "file";
    if (stat.isDirectory()) return "directory";
    return stat.isSymbolicLink() ? "link" : "other";
  }

  /**
   * True for an object of a file system that shows the state of the kernel (`/proc`, `/sys`): its files are no data.
   *
   * @param device that of the root: an object of the same device is of the same file system.
   */
  isOfKernel(device: bigint): boolean {
    if (this.stat.dev === device || this.#fd === undefined) return false;
    return kernelFileSystems.has(statfsSync(this.path).type);
  }

  /** The path of the object as the kernel knows it now; undefined where it cannot be asked for. */
  get currentPath(): string | undefined {
    return this.#fd === undefined ? undefined : readlinkSync(this.path);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

/** Numbers of `statfs`: proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, binfmt_misc, bpf, devpts. */
const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9f_a0, 0x62_65_65_72, 0x64_62_67_20, 0x74_72_61_63, 0x73_63_67_66, 0x27_e0_eb, 0x63_67_72_70,
  0x42_49_4e_4d, 0xca_fe_4a_11, 0x1c_d1,
]);
