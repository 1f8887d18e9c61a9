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
  env: {},
  xargs: { flags: "0rt" },
};

const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh"]);
const maxWrappers = 8;

/** Removes the programs at the beginning of a command that only run what follows. */
export function unwrap(argv: readonly string[]): UnwrappedCommand {
  let rest = argv;
  const via: string[] = [];
  while (via.length < maxWrappers) {
    const name = programName(rest[0] as string);
    const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
    if (wrapper === undefined) break;
    const inner = innerCommand(wrapper, rest.slice(1));
    if (inner === undefined) return { argv: rest, via, fault: `${name} with unusual options` };
    // It is only `env`, which prints the environment, or `command`, without a command.
    if (inner.length === 0) return { argv: name === "env" ? ["printenv"] : rest, via };
    via.push(name);
    rest = inner;
    if (name === "xargs") return { argv: rest, via, fault: "arguments from the input of xargs" };
  }
  const name = programName(rest[0] as string);
  if (shells.has(name) && /^-[eux]*c$/.test(rest[1] ?? "") && rest[2] !== undefined) {
    // Further arguments are the variables $0, $1, …, which make a script unknown anyway.
    return { argv: rest, via: [...via, name], script: rest[2] };
  }
  return { argv: rest, via };
}

/** The command inside of a wrapper; undefined: an option is not known. */
function innerCommand(
  { flags = "", valued = "", long = [], operands = 0 }: Wrapper,
  args: readonly string[],
): readonly string[] | undefined {
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
  const inner = args.slice(at + operands);
  // `env A=b program` changes what the program does.
  return inner[0]?.includes("=") === true ? undefined : inner;
}

function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
