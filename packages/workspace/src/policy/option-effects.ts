import type { ProgramEffects } from "./analysis.ts";
import { readOptions, type GivenOption, type ReadArguments } from "./read-options.ts";
import { readSedScript } from "./sed-script.ts";
import type { PathUse } from "./script.ts";

type Use = Omit<PathUse, "cwd">;

/** The effects of a program, and its operands. */
export interface OptionEffects extends ProgramEffects {
  readonly operands: readonly string[];
}

/** The effects of a program whose options are in the table. */
export function getOptionEffects(program: string, args: readonly string[]): OptionEffects {
  const given = readOptions(program, program === "tar" ? withDashes(args) : args) as ReadArguments;
  const { options, operands, unknown } = given;
  const { paths, fault } = getOperandUses(given);
  const risky = options.find(({ marks }) => /[!&]/.test(marks));
  const all = [...getValueUses(options), ...paths];
  const isNamed = unknown !== undefined || options.some(({ marks }) => marks.includes("&"));
  const mayRun = given.use === "sed" && fault !== undefined ? "any" : isNamed ? "named" : undefined;
  const reasons: string[] = [];
  if (unknown !== undefined) reasons.push(`${program} ${unknown} is not known`);
  if (risky !== undefined) {
    reasons.push(
      given.use === "writes" || given.use === "mode"
        ? `${program} changes whole folders, or does not ask`
        : `${program} ${dash(risky.name)} does more than change the files that it names`,
    );
  }
  if (fault !== undefined) reasons.push(`${program} ${fault}`);
  if (reasons.length > 0) {
    // An unknown option may write to any of its words.
    const words = unknown === undefined ? [] : [...operands, ...options.flatMap(toValues)];
    const written = words.map((path): Use => ({ path, access: "write" }));
    return {
      risk: "high",
      reasons,
      paths: [...all, ...written],
      operands,
      ...(mayRun === undefined ? {} : { mayRun }),
    };
  }
  return all.some(({ access }) => access === "write")
    ? { risk: "medium", reasons: [`${program} changes files`], paths: all, operands }
    : { risk: "low", reasons: [], paths: all, operands };
}

function dash(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function toValues({ values }: GivenOption): readonly string[] {
  return values;
}

/** The files in the values of options. */
function getValueUses(options: readonly GivenOption[]): readonly Use[] {
  return options.flatMap(({ marks, values }) => {
    const uses = marks.replace(/[^=<>@]/g, "");
    return values.flatMap((path, index): Use[] => {
      const mark = uses[index];
      // Another option, whose value leads elsewhere.
      if (marks === "") return /^[/.]/.test(path) ? [{ path, access: "read" }] : [];
      if (mark !== "<" && mark !== ">") return [];
      return isStream(path) ? [] : [{ path, access: mark === ">" ? "write" : "read" }];
    });
  });
}

function isStream(path: string): boolean {
  return path === "-" || path === "/dev/null";
}

const extracts = "writes the files that the archive names";

/** The uses of the operands; `fault`: why it is not known, the end of a sentence. */
interface OperandUses {
  readonly paths: readonly Use[];
  readonly fault?: string;
}

function getOperandUses(given: ReadArguments): OperandUses {
  const { use, options, operands } = given;
  const has = (mark: string): boolean => options.some(({ marks }) => marks.includes(mark));
  const files = has("~") ? operands : operands.slice(1);
  const extent = has("*") ? ({ extent: "tree" } as const) : {};
  const read = (path: string): Use => ({ path, access: "read", ...extent });
  const write = (path: string): Use => ({ path, access: "write", ...extent });
  switch (use) {
    case "texts":
      return { paths: [] };
    case "reads":
      // The programs of binutils read options from the file after `@`.
      return { paths: operands.flatMap((path) => [path, ...getOptionFile(path)].map(read)) };
    case "writes":
      return { paths: operands.map(write) };
    case "pattern":
      // Without an operand, the folder itself.
      return { paths: (files.length === 0 && has("*") ? ["."] : files).map(read) };
    case "jq":
      // jq 1.8, "Modules": a filter can read files of other folders.
      return !has("~") && /\b(?:import|include)\b/.test(operands[0] ?? "")
        ? { paths: files.map(read), fault: "has a filter that imports files" }
        : { paths: files.map(read) };
    case "search":
      return {
        paths: (files.length === 0 ? ["."] : files).map((path) => ({
          path,
          access: "read",
          extent: has(".") ? "tree" : "visible",
        })),
      };
    case "mode":
      return { paths: files.map(write) };
    case "installs":
      // `install -d` makes folders.
      return options.some(({ name }) => name === "d" || name === "directory")
        ? { paths: operands.map(write) }
        : { paths: getTransferUses(given, read, write) };
    case "copies":
    case "moves":
    case "links":
      return { paths: getTransferUses(given, read, write) };
    case "in-out": {
      const [input, output] = operands;
      return {
        paths: [
          ...(input === undefined ? [] : [read(input)]),
          ...(output === undefined || isStream(output) ? [] : [write(output)]),
        ],
      };
    }
    case "pieces": {
      const [input, prefix = "x"] = operands;
      return {
        paths: [
          ...(input === undefined ? [] : [read(input)]),
          { path: prefix, access: "write", extent: "names" },
        ],
      };
    }
    case "replaces":
      return { paths: getReplacedUses(given, read, write) };
    case "zip": {
      const [archive = "", ...members] = operands;
      const written = [archive, `${archive}.zip`].map((path): Use => ({ path, access: "write" }));
      return { paths: [...written, ...members.map(read)] };
    }
    case "unzip":
      return {
        paths: operands.slice(0, 1).map(read),
        ...(options.some(({ name }) => /[lvtpcZ]/.test(name)) ? {} : { fault: extracts }),
      };
    case "sed":
      return getSedUses(given);
    case "tar":
      return getTarUses(given);
  }
}

function getOptionFile(path: string): readonly string[] {
  return path.startsWith("@") ? [path.slice(1)] : [];
}

/** `cp`, `install`, `mv` and `ln`: the target is the last operand or a folder in an option. */
function getTransferUses(
  { use, options, operands }: ReadArguments,
  read: (path: string) => Use,
  write: (path: string) => Use,
): readonly Use[] {
  const has = (...names: readonly string[]): boolean =>
    options.some(({ name }) => names.includes(name));
  const folder = options.findLast(({ marks }) => marks.includes("@"))?.values[0];
  const sources = folder === undefined ? operands.slice(0, -1) : operands;
  const [only = ""] = operands;
  const isAlone = folder === undefined && operands.length === 1;
  // `ln a/b` makes `b` here.
  const target =
    folder ?? (isAlone ? (use === "links" ? toBaseName(only) : only) : operands.at(-1));
  if (target === undefined) return [];
  const all = isAlone && use === "links" ? [only] : sources;
  const isSymbolic = use === "links" && has("s", "symbolic");
  const written = [
    target,
    ...all.map((source) => `${target}/${has("parents") ? source : toBaseName(source)}`),
  ];
  const extent = use === "moves" ? ({ extent: "tree" } as const) : {};
  // A file that is replaced is kept under its name with an ending.
  const keeps = has("b", "backup", "S", "suffix");
  return [
    ...all.flatMap((source): Use[] => {
      if (use === "copies" || use === "installs") return [read(source)];
      if (use === "moves") return [{ path: source, access: "write", extent: "tree" }];
      // A second name of a file is a way to write it; a symbolic one is relative to where it is.
      if (!isSymbolic) return [read(source), write(source)];
      return [source, `${toFolder(target)}/${source}`, `${target}/${source}`].map((path) => ({
        path: source.startsWith("/") ? source : path,
        access: "read",
        extent: "tree",
      }));
    }),
    ...written.map((path) => ({ ...write(path), ...extent })),
    ...(keeps ? written.map((path) => ({ ...write(path), extent: "names" as const })) : []),
  ];
}

const endings = [".gz", ".bz2", ".xz", ".tgz", ".tbz", ".tbz2", ".txz", ".lzma", ".Z", ".z"];

/** Programs that compress: a file is replaced by one with another ending. */
function getReplacedUses(
  { options, operands }: ReadArguments,
  read: (path: string) => Use,
  write: (path: string) => Use,
): readonly Use[] {
  const has = (pattern: RegExp): boolean => options.some(({ name }) => pattern.test(name));
  const isStdout = has(/^(?:c|stdout|to-stdout)$/);
  // Of `-t` and `-d`, some of these programs obey the last one.
  const isOther = has(/^(?:[dz]|compress|decompress|uncompress)$/);
  if (isStdout || (!isOther && has(/^(?:[lt]|list|test)$/))) return operands.map(read);
  const suffixes = options.flatMap(({ name, values }) =>
    /^(?:S|suffix)$/.test(name) ? values : [],
  );
  const known = [...suffixes, ...endings];
  return operands.flatMap((path) => {
    const ending = known.find((one) => path.toLowerCase().endsWith(one.toLowerCase()));
    const plain = ending === undefined ? undefined : path.slice(0, -ending.length);
    const made = [
      ...known.map((one) => path + one),
      ...(plain === undefined ? [`${path}.out`] : [plain, `${plain}.tar`]),
    ];
    return [write(path), ...made.map(write)];
  });
}

function getSedUses({ options, operands }: ReadArguments): OperandUses {
  const findValues = (...names: readonly string[]): readonly string[] =>
    options.flatMap(({ name, values }) => (names.includes(name) ? values : []));
  const hasFile = findValues("f", "file").length > 0;
  const given = findValues("e", "expression");
  const isGiven = hasFile || given.length > 0;
  const files = isGiven ? operands : operands.slice(1);
  const script = readSedScript((isGiven ? given : operands.slice(0, 1)).join("\n"));
  const inPlace = options.findLast(({ name }) => name === "i" || name === "in-place");
  const suffix = inPlace?.values[0] ?? "";
  const paths: Use[] = [
    ...script.reads.map((path): Use => ({ path, access: "read" })),
    ...script.writes.map((path): Use => ({ path, access: "write" })),
    ...files.map((path): Use => ({ path, access: inPlace === undefined ? "read" : "write" })),
    ...(suffix === ""
      ? []
      : files.map((path): Use => ({ path: toBackup(path, suffix), access: "write" }))),
  ];
  return script.isUnknown || hasFile
    ? { paths, fault: "has a script that may write files or run programs" }
    : { paths };
}

/** The name under which sed keeps the original of a file. */
function toBackup(path: string, suffix: string): string {
  const base = toBaseName(path);
  const name = suffix.includes("*") ? suffix.replaceAll("*", base) : base + suffix;
  return name.includes("/") ? name : `${toFolder(path)}/${name}`;
}

/** `tar cfC a.tar dir x`: the first word has letters, whose values follow in their order. */
function withDashes(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first === "" || first.startsWith("-")) return args;
  const letters = Array.from(first);
  let at = 0;
  const split = letters.flatMap((letter) => {
    if (!/[bCfgHKLNTVXIF]/.test(letter)) return [`-${letter}`];
    return [`-${letter}`, rest[at++] ?? ""];
  });
  return [...split, ...rest.slice(at)];
}

function getTarUses({ options, operands }: ReadArguments): OperandUses {
  const names = new Set(options.map(({ name }) => name));
  const has = (...all: readonly string[]): boolean => all.some((name) => names.has(name));
  const findValues = (...all: readonly string[]): readonly string[] =>
    options.flatMap(({ name, values }) => (all.includes(name) ? values : []));
  const archives = findValues("f", "file").filter((path) => !isStream(path));
  if (archives.some((path) => path.includes(":")))
    return { paths: [], fault: "may connect to another host" };
  const isList = has("t", "list", "d", "diff", "compare");
  const isExtraction = has("x", "extract", "get");
  const writesArchive = has(
    "c",
    "create",
    "r",
    "append",
    "u",
    "update",
    "A",
    "catenate",
    "concatenate",
  );
  // Each is relative to the one before.
  const folders = findValues("C", "directory").reduce<readonly string[]>(
    (all, folder) => [...all, join(all.at(-1) ?? ".", folder)],
    [],
  );
  if (isExtraction && !has("O", "to-stdout")) {
    const paths = [
      ...archives.map((path): Use => ({ path, access: "read" })),
      ...folders.map((path): Use => ({ path, access: "write" })),
    ];
    return { paths, fault: extracts };
  }
  if (!isList && !isExtraction && !writesArchive)
    return { paths: [], fault: "has no known operation" };
  const members = operands.flatMap((path) => [
    path,
    ...folders.map((folder) => join(folder, path)),
  ]);
  return {
    paths: [
      ...archives.map((path): Use => ({ path, access: writesArchive ? "write" : "read" })),
      ...(writesArchive ? members : []).map((path): Use => ({
        path,
        access: "read",
        extent: "tree",
      })),
    ],
  };
}

function join(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`;
}

/** As `basename`. */
function toBaseName(path: string): string {
  const clean = path.replace(/\/+$/, "");
  return clean.slice(clean.lastIndexOf("/") + 1);
}

/** As `dirname`. */
function toFolder(path: string): string {
  const clean = path.replace(/\/+$/, "");
  const end = clean.lastIndexOf("/");
  return end === -1 ? "." : end === 0 ? "/" : clean.slice(0, end);
}
