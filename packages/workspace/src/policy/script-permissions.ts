import {
  displayLine,
  displayProse,
  type JsonObject,
  type PermissionRequest,
} from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { posix, resolve } from "node:path";
import { followLinks } from "../jail/follow-links.ts";
import type { AnalyzedCommand, ScriptAnalysis } from "./analysis.ts";
import { getCommandForms, type CommandForms } from "./command-forms.ts";
import type { PathUse } from "./script.ts";
import { programName } from "./unwrap.ts";

/** Where a script runs. */
export interface ScriptPlace {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** Whether an absolute path is in the workspace. */
  readonly isInside: (path: string) => boolean;
  /** The level of the sandbox. */
  readonly sandbox: string;
  /** Commands read, change and reach nothing outside of the workspace. */
  readonly isIsolated: boolean;
  /** Commands reach no network. */
  readonly hidesNetwork: boolean;
}

const maxSummary = 200;
const maxReasons = 10;

/**
 * The permissions that a script needs: one for each command, one for each file that it is known to write, or to read
 * outside of the workspace, and one for each command that connects to other hosts. A script that is not fully understood
 * needs a permission as a whole, which no rule for a single command gives.
 */
export function scriptPermissions(
  script: string,
  analysis: ScriptAnalysis,
  place: ScriptPlace,
): readonly PermissionRequest[] {
  const permissions: PermissionRequest[] = [];
  if (!analysis.isKnown) permissions.push(wholeScript(script, analysis, place));
  const paths = new Map<string, PermissionRequest>();
  for (const command of analysis.commands) {
    permissions.push(processPermission(command, place));
    if (command.network && !place.hidesNetwork) permissions.push(networkPermission(command, place));
    for (const use of command.paths) addPath(paths, use, place);
  }
  return [...permissions, ...paths.values()];
}

/** Facts for a policy function and for the person who decides. */
function details(facts: JsonObject, { folder, sandbox, isIsolated }: ScriptPlace): JsonObject {
  return { ...facts, folder: displayLine(folder), sandbox, isIsolated };
}

/**
 * Whether the permissions of a script are for a folder: its relative paths mean other files in another one.
 *
 * @param given those of a call.
 */
export function areForFolder(given: readonly PermissionRequest[], folder: string): boolean {
  const target = displayLine(folder);
  return given.every(({ details: facts }) => {
    const own = isObject(facts) ? facts["folder"] : undefined;
    return own === undefined || own === target;
  });
}

function wholeScript(
  script: string,
  { unknown, commands }: ScriptAnalysis,
  place: ScriptPlace,
): PermissionRequest {
  const reasons = [...new Set(unknown.map(({ reason }) => reason))].slice(0, maxReasons);
  return {
    kind: "process",
    target: displayLine(script),
    possibleTargets: "any",
    summary: displayProse(
      `Run a script that is not fully understood: it has ${reasons.join(", ")}`,
      maxSummary,
    ),
    details: details(
      {
        isKnown: false,
        risk: "high",
        reasons,
        commands: commands.map(({ argv }) => quoteArgv(argv)),
      },
      place,
    ),
  };
}

function processPermission(command: AnalyzedCommand, place: ScriptPlace): PermissionRequest {
  const { argv, via, risk, reasons } = command;
  const linked = findLinked(command, place);
  const { other, possible } = getAllForms(argv, linked);
  const line = quoteArgv([...via, ...argv]);
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  return {
    kind: "process",
    target: displayLine(quoteArgv(argv)),
    ...(other.length === 0 ? {} : { otherTargets: other.flatMap(toTargets) }),
    ...(possible.length === 0
      ? {}
      : { possibleTargets: possible === "any" ? possible : possible.flatMap(toTargets) }),
    summary: displayProse(`Run ${line}${why}`, maxSummary),
    details: details(
      {
        isKnown: true,
        risk,
        reasons: [...reasons],
        argv: [...argv],
        via: [...via],
        ...(linked && { linked }),
      },
      place,
    ),
  };
}

/** The command with the program that a link leads to; undefined: its path is none, or has the same name. */
function findLinked({ argv, cwd }: AnalyzedCommand, { folder }: ScriptPlace): string[] | undefined {
  const [path = "", ...args] = argv;
  if (!path.includes("/")) return undefined;
  const real = resolvePath({ path, access: "read", cwd }, folder);
  return real === undefined || programName(real) === programName(path)
    ? undefined
    : [real, ...args];
}

/** The forms of a command, and of the program that a link leads to. */
function getAllForms(argv: readonly string[], linked: readonly string[] | undefined): CommandForms {
  const forms = getCommandForms(argv);
  if (linked === undefined) return forms;
  const more = getCommandForms(linked);
  return {
    other: [...forms.other, linked, ...more.other],
    possible:
      forms.possible === "any" || more.possible === "any"
        ? "any"
        : [...forms.possible, ...more.possible],
  };
}

/** The targets of a command. A program without arguments is also one with some: of a rule for `rm *`. */
function toTargets(argv: readonly string[]): readonly string[] {
  const target = displayLine(quoteArgv(argv));
  return argv.length === 1 ? [target, `${target} …`] : [target];
}

function networkPermission(
  { argv, program }: AnalyzedCommand,
  place: ScriptPlace,
): PermissionRequest {
  const url = argv.find((arg) => /^[a-z][a-z\d+.-]*:\/\//i.test(arg));
  return {
    kind: "network",
    target: displayLine(url ?? "unknown"),
    summary: displayProse(
      `Connect to ${displayLine(url ?? "another host")} with ${program}`,
      maxSummary,
    ),
    details: details({ program }, place),
  };
}

const places = {
  inside: "",
  outside: ", outside of the workspace",
  unknown: ", in an unknown folder",
} as const;

function addPath(found: Map<string, PermissionRequest>, use: PathUse, place: ScriptPlace): void {
  const { path, access } = use;
  const full = resolvePath(use, place.folder);
  // Of a path whose folder is unknown, only the name is certain.
  const target = displayLine(full ?? path);
  const where = full === undefined ? "unknown" : place.isInside(full) ? "inside" : "outside";
  if (use.isPossible === true ? where !== "outside" : access === "read" && where === "inside")
    return;
  const kind = access === "write" ? "fs.write" : "fs.read";
  const verb = access === "write" ? "Write" : "Read";
  found.set(`${kind} ${target}`, {
    kind,
    target,
    summary: displayProse(`${verb} ${target}${places[where]}`, maxSummary),
    details: details({ place: where }, place),
  });
}

/**
 * Where a file of a script that runs in a folder is, with all links followed; undefined: the folder of the command is not
 * known.
 */
export function resolvePath({ path, cwd, extent }: PathUse, folder: string): string | undefined {
  if (extent === "names") {
    // The beginning of names is no file, so that no link of that name is followed.
    const at = path.lastIndexOf("/") + 1;
    const around = resolvePath({ path: path.slice(0, at) || ".", access: "write", cwd }, folder);
    return around === undefined ? undefined : `${around}/${path.slice(at)}`;
  }
  const own = /^\/proc\/(?:self|thread-self)\/(cwd|root)(?=\/|$)/.exec(posix.normalize(path));
  if (own !== null) {
    // The folders of the command, and not those of this process.
    const rest = posix.normalize(path).slice(own[0].length);
    if (own[1] === "root") return resolvePath({ path: rest || "/", access: "read", cwd }, folder);
    return resolvePath({ path: `.${rest}`, access: "read", cwd }, folder);
  }
  if (path.startsWith("/")) return followLinks(path);
  if (cwd === undefined) return undefined;
  // `cd` goes by the text of its path, programs by the file system.
  return followLinks(`${resolve(folder, cwd)}/${path}`);
}

/** A command as a line of a shell, for a person: each word is quoted if it needs to be. */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quoteWord).join(" ");
}

/** A word of a shell, quoted if it needs to be. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
