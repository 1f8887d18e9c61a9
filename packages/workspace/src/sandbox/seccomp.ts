/** The system calls of one architecture that the filter refuses, and those that it examines. */
interface Architecture {
  /** `AUDIT_ARCH_*` of `linux/audit.h`. */
  readonly audit: number;
  readonly socket: number;
  readonly clone: number;
  readonly clone3: number;
  readonly refused: readonly number[];
}

/**
 * ptrace, process_vm_readv, process_vm_writev, mount, umount2, pivot_root, chroot, unshare, setns, keyctl, add_key,
 * request_key, bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module, finit_module, delete_module,
 * open_by_handle_at, name_to_handle_at, swapon, swapoff, reboot, acct, quotactl; and for all architectures
 * io_uring_setup, io_uring_enter, io_uring_register, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick,
 * mount_setattr, pidfd_getfd.
 */
const onAll: readonly number[] = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 438];

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    clone: 56,
    clone3: 435,
    refused: [
      101,
      310,
      311,
      165,
      166,
      155,
      161,
      272,
      308,
      250,
      248,
      249,
      321,
      298,
      323,
      246,
      320,
      175,
      313,
      176,
      304,
      303,
      167,
      168,
      169,
      163,
      179,
      ...onAll,
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    clone: 220,
    clone3: 435,
    refused: [
      117,
      270,
      271,
      40,
      39,
      41,
      51,
      97,
      268,
      219,
      217,
      218,
      280,
      241,
      282,
      104,
      294,
      105,
      273,
      106,
      265,
      264,
      224,
      225,
      142,
      89,
      60,
      ...onAll,
    ],
  },
};

/** Operations of classic BPF (`linux/bpf_common.h`). */
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfSet = 0x45;
const end = 0x06;

/** Results of a filter (`linux/seccomp.h`). */
const allow = 0x7fff_0000;
const fail = 0x0005_0000;
const kill = 0x8000_0000;
const EPERM = 1;
const ENOSYS = 38;

/** Places in `struct seccomp_data`. */
const numberAt = 0;
const architectureAt = 4;
const firstArgumentAt = 16;

const AF_UNIX = 1;
const CLONE_NEWUSER = 0x1000_0000;

/** Options of a filter of system calls. */
export interface FilterOptions {
  /** `network`: all sockets but those of the family `AF_UNIX`. `none`: none but pairs. Default: `network`. */
  readonly sockets?: "network" | "none";
  /** As `process.arch` names it. Default: that of this process. */
  readonly architecture?: string;
}

/**
 * A filter of system calls as a program of classic BPF: it refuses those that trace other processes, mount, make
 * namespaces, load code into the kernel or go around other filters, and sockets. Undefined for an architecture that is not
 * known.
 */
export function seccompProgram(options: FilterOptions = {}): Buffer | undefined {
  const { sockets = "network", architecture = process.arch } = options;
  const known = Object.hasOwn(architectures, architecture)
    ? architectures[architecture]
    : undefined;
  if (known === undefined) return undefined;
  const { audit, socket, clone, clone3, refused } = known;
  const program: (readonly [code: number, whenTrue: number, whenFalse: number, value: number])[] = [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 1, 0, audit],
    [end, 0, 0, kill],
    [load, 0, 0, numberAt],
    // Numbers of x32, which mean other calls.
    [jumpIfAtLeast, 0, 1, 0x4000_0000],
    [end, 0, 0, fail | EPERM],
    // Its flags are in memory, where a filter cannot read them: libraries then use `clone`.
    [jumpIfEqual, 0, 1, clone3],
    [end, 0, 0, fail | ENOSYS],
  ];
  for (const number of refused)
    program.push([jumpIfEqual, 0, 1, number], [end, 0, 0, fail | EPERM]);
  program.push(
    [jumpIfEqual, 0, 3, clone],
    [load, 0, 0, firstArgumentAt],
    [jumpIfSet, 0, 1, CLONE_NEWUSER],
    [end, 0, 0, fail | EPERM],
    [load, 0, 0, numberAt],
  );
  if (sockets === "none") program.push([jumpIfEqual, 0, 1, socket], [end, 0, 0, fail | EPERM]);
  else {
    program.push(
      [jumpIfEqual, 0, 3, socket],
      [load, 0, 0, firstArgumentAt],
      [jumpIfEqual, 0, 1, AF_UNIX],
      [end, 0, 0, fail | EPERM],
    );
  }
  program.push([end, 0, 0, allow]);
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    const at = 8 * index;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(whenTrue, at + 2);
    bytes.writeUInt8(whenFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}
