/** A command without the programs that only run another one. */
export interface UnwrappedCommand {
  readonly argv: readonly string[];
  /** The programs that were removed, the outer one first. */
  readonly via: readonly string[];
  /** The script that the command runs, of a shell with `-c`. */
  readonly script?: string;
  /** Why it is not known what the wrapper runs. */
  readonly fault?: string;
}

/** A program that runs the command in its arguments. */
interface Wrapper {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value. */
  readonly valued?: string;
  readonly long?: readonly string[];
  /** Operands before the command, such as the duration of `timeout`. */
  readonly operands?: number;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: {
    flags: "v",
    valued: "ks",
    long: ["--foreground", "--preserve-status", "--verbose", "--kill-after", "--signal"],
    operands: 1,
  },
  nice: { valued: "n", long: ["--adjustment"] },
  ionice: { flags: "t", valued: "cn" },
  nohup: {},
  stdbuf: { valued: "ioe", long: ["--input", "--output", "--error"] },
  setsid: { flags: "cfw" },
  chronic: {},
  time: { flags: "p" },
  command: { flags: "p" },
  builtin: {},
  sudo: { flags: "EHnSk", valued: "ug" },
  doas: { flags: "n", valued: "u" },
  xargs: { flags: "0rt" },
  exec: { flags: "cl", valued: "a" },
  busybox: {},
  toybox: {},
  chrt: { flags: "abdfimorR", operands: 1 },
  taskset: { flags: "ac", operands: 1 },
};

/** Shells whose scripts are read like those of bash. */
const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh"]);
/** Shells whose scripts can mean something else. */
const otherShells: ReadonlySet<string> = new Set(["ash", "ksh", "mksh", "rbash"]);

/** Removes the programs at the beginning of a command that only run what follows. */
export function unwrap(argv: readonly string[]): UnwrappedCommand {
  let rest = argv;
  const via: string[] = [];
  let fault: string | undefined;
  const result = (more: Partial<UnwrappedCommand> = {}): UnwrappedCommand => ({
    argv: rest,
    via,
    ...(fault === undefined ? {} : { fault }),
    ...more,
  });
  for (;;) {
    const name = programName(rest[0] as string);
    if (name === "eval" && rest.length > 1) {
      via.push(name);
      return result({ script: rest.slice(1).join(" ") });
    }
    if (shells.has(name) || otherShells.has(name)) {
      const { script, fault: unusual } = readShell(rest.slice(1));
      if (script === undefined) return result();
      fault ??= otherShells.has(name) ? "a shell other than bash" : unusual;
      via.push(name);
      return result({ script });
    }
    const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
    if (wrapper === undefined && name !== "env") return result();
    const inner =
      wrapper === undefined ? readEnv(rest.slice(1)) : innerCommand(wrapper, rest.slice(1));
    if (inner === undefined) return result({ fault: `${name} with unusual options` });
    const { words, setsVariables = false } = inner;
    // It is only `env`, which prints the environment, or `command`, without a command.
    if (words.length === 0) return result({ argv: name === "env" ? ["printenv"] : rest });
    via.push(name);
    rest = words;
    if (setsVariables) fault ??= "an assignment of a variable";
    if (name === "xargs") fault ??= "arguments from the input of xargs";
  }
}

/** The command inside of a wrapper. */
interface InnerCommand {
  readonly words: readonly string[];
  /** Variables can change what the command does. */
  readonly setsVariables?: boolean;
}

/** The command inside of a wrapper; undefined: an option is not known. */
function innerCommand(
  { flags = "", valued = "", long = [], operands = 0 }: Wrapper,
  args: readonly string[],
): InnerCommand | undefined {
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--") {
      at += 1;
      break;
    }
    if (!arg.startsWith("-")) break;
    if (arg.startsWith("--")) {
      const [name = ""] = arg.split("=", 1);
      if (!long.includes(name)) return undefined;
      if (!arg.includes("=") && !/^--(?:foreground|preserve-status|verbose)$/.test(name)) at += 1;
      continue;
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const option = arg[letter] as string;
      if (valued.includes(option)) {
        if (letter === arg.length - 1) at += 1;
        break;
      }
      if (!flags.includes(option)) return undefined;
    }
  }
  const words = args.slice(at + operands);
  // `sudo A=b program` changes what the program does.
  return words[0]?.includes("=") === true ? undefined : { words };
}

/** The command of `env`; undefined: an option is not known. */
function readEnv(args: readonly string[]): InnerCommand | undefined {
  let at = 0;
  let setsVariables = false;
  for (; at < args.length; at++) {
    const arg = args[at] as string;
    if (/^-[uC]$|^--(?:unset|chdir)$/.test(arg)) {
      at += 1;
      setsVariables = true;
    } else if (/^-(?:[i0v]*|u.+)$|^--(?:ignore-environment|null|unset=.*)$/.test(arg)) {
      setsVariables ||= arg !== "-0" && arg !== "-v";
    } else if (arg === "--") continue;
    else if (arg.startsWith("-")) return undefined;
    else if (arg.includes("=")) setsVariables = true;
    else break;
  }
  return { words: args.slice(at), setsVariables };
}

/** The script of a shell with `-c`; undefined: it runs a file, or its input. */
function readShell(args: readonly string[]): { readonly script?: string; readonly fault?: string } {
  let hasScript = false;
  let fault: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--" || arg === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(arg)) break;
    if (/^--(?:norc|noprofile|posix|restricted|verbose)$/.test(arg)) continue;
    if (!/^[-+][a-zA-Z]+$/.test(arg)) fault = "a shell with unusual options";
    if (/^[-+][a-zA-Z]*[oO]$/.test(arg)) at += 1;
    if (/^-[a-zA-Z]*c/.test(arg)) hasScript = true;
    // They read files of the user first.
    if (/^-[a-zA-Z]*[li]/.test(arg)) fault = "a shell that reads its profile";
  }
  const script = hasScript ? args[at] : undefined;
  // Further arguments are the variables $0, $1, …, which make a script unknown anyway.
  return { ...(script === undefined ? {} : { script }), ...(fault === undefined ? {} : { fault }) };
}

/** The name of a program without its folder. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
