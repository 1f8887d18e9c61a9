import { readFileSync, type BigIntStats } from "node:fs";
import ignore, { type Ignore } from "ignore";
import { Entry } from "../jail/entry.ts";
import type { OpenFolder } from "../jail/path-info.ts";
import { listNames, type FolderNames } from "./list-names.ts";
import type { PathMatcher } from "../jail/path-rules.ts";

/** A file, a folder or a link below a folder. */
export interface TreeEntry {
  /** Relative to the root of the workspace. */
  readonly path: string;
  /** Relative to the folder that is walked. */
  readonly name: string;
  readonly kind: "file" | "directory" | "link";
  /** 1: directly in the folder. */
  readonly depth: number;
  /** The object itself. Open during the visit. */
  readonly entry: Entry;
  readonly stat: BigIntStats;
}

/** Which entries are visited. */
export interface WalkTreeOptions {
  /** Default: no limit. */
  readonly maxDepth?: number;
  /** Entries whose names begin with a dot. Default: false. */
  readonly hidden?: boolean;
  /** Entries that `.gitignore` names, and `.git`. Default: false. */
  readonly ignored?: boolean;
  /** Stops the walk when it returns true. */
  readonly isStopped?: () => boolean;
}

/** The number of entries that were not visited, by the reason. A folder counts as one. */
export interface SkippedEntries {
  ignored: number;
  hidden: number;
  /** Denied by the rules of the workspace, or by the system. */
  notPermitted: number;
  /** Pipes, sockets and devices. */
  special: number;
  /** Names that are not UTF-8. */
  notUtf8: number;
  /** The first of those names, with escapes. */
  readonly notUtf8Names: string[];
}

const maxNames = 5;

/** No skipped entries. */
export function noneSkipped(): SkippedEntries {
  return { ignored: 0, hidden: 0, notPermitted: 0, special: 0, notUtf8: 0, notUtf8Names: [] };
}

/** Folders that are never worth a visit, unless ignored entries are asked for. */
const usuallyIgnored: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * Visits the entries below a folder in the order of their names, each folder before its members. Links are not followed.
 * Every folder is opened from the one around it, so that none can be replaced by another one meanwhile.
 */
export function walkTree(
  folder: OpenFolder,
  matcher: PathMatcher,
  options: WalkTreeOptions,
  visit: (entry: TreeEntry) => void,
): SkippedEntries {
  const { maxDepth = Infinity, hidden = false, ignored = false, isStopped = () => false } = options;
  const skipped = noneSkipped();
  const outer = folder.info.path;
  const toPath = (name: string): string =>
    outer === "" ? name : name === "" ? outer : `${outer}/${name}`;
  const descend = (
    membersPath: string,
    prefix: string,
    depth: number,
    rules: readonly Rules[],
  ): void => {
    const own = ignored ? undefined : readRules(membersPath, toPath(prefix));
    const inForce = own === undefined ? rules : [...rules, own];
    for (const member of listMembers(membersPath, prefix, skipped)) {
      if (isStopped()) return;
      const name = prefix === "" ? member : `${prefix}/${member}`;
      if (!hidden && member.startsWith(".")) {
        skipped.hidden += 1;
        continue;
      }
      if (!ignored && usuallyIgnored.has(member)) {
        skipped.ignored += 1;
        continue;
      }
      let entry: Entry;
      try {
        entry = Entry.open(`${membersPath}/${member}`);
      } catch (error) {
        // It is gone since the folder was listed.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") skipped.notPermitted += 1;
        continue;
      }
      try {
        const { kind } = entry;
        if (kind === "other") {
          skipped.special += 1;
          continue;
        }
        const path = toPath(name);
        if (!ignored && isIgnored(inForce, path, kind === "directory")) {
          skipped.ignored += 1;
          continue;
        }
        if (matcher.findClasses(path).includes("denied")) {
          skipped.notPermitted += 1;
          continue;
        }
        visit({ path, name, kind, depth, entry, stat: entry.stat });
        if (kind === "directory" && depth < maxDepth) descend(entry.path, name, depth + 1, inForce);
      } finally {
        entry.close();
      }
    }
  };
  descend(folder.membersPath, "", 1, ignored ? [] : readOuterRules(folder));
  return skipped;
}

function listMembers(path: string, prefix: string, skipped: SkippedEntries): readonly string[] {
  let found: FolderNames;
  try {
    found = listNames(path);
  } catch {
    skipped.notPermitted += 1;
    return [];
  }
  skipped.notUtf8 += found.notUtf8.length;
  const names = found.notUtf8.slice(0, maxNames - skipped.notUtf8Names.length);
  skipped.notUtf8Names.push(...names.map((name) => (prefix === "" ? name : `${prefix}/${name}`)));
  return found.names;
}

/** The rules of one `.gitignore`, and the folder that it is in, relative to the root. */
interface Rules {
  readonly prefix: string;
  readonly ignore: Ignore;
}

const maxRulesBytes = 256 * 1024;

function readRules(membersPath: string, prefix: string): Rules | undefined {
  let entry: Entry | undefined;
  try {
    entry = Entry.open(`${membersPath}/.gitignore`);
    if (entry.kind !== "file" || entry.stat.size > maxRulesBytes) return undefined;
    return { prefix, ignore: ignore().add(readFileSync(entry.path, "utf8")) };
  } catch {
    return undefined;
  } finally {
    entry?.close();
  }
}

/** The rules of the folders around a folder, unless they name it: what is asked for by name is visited. */
function readOuterRules({ info }: OpenFolder): readonly Rules[] {
  if (info.path === "") return [];
  const root = info.realPath.slice(0, -info.path.length);
  const parts = info.path.split("/");
  const rules = parts.flatMap((_, depth) => {
    const prefix = parts.slice(0, depth).join("/");
    return readRules(`${root}${prefix}`, prefix) ?? [];
  });
  const isAsked = parts.some((_, depth) => {
    const around = rules.filter(({ prefix }) => prefix.split("/").length <= depth || prefix === "");
    return isIgnored(around, parts.slice(0, depth + 1).join("/"), true);
  });
  return isAsked ? [] : rules;
}

/** The rules of inner folders decide before those of outer ones. */
function isIgnored(rules: readonly Rules[], name: string, isFolder: boolean): boolean {
  for (const { prefix, ignore: own } of rules.toReversed()) {
    const below = prefix === "" ? name : name.slice(prefix.length + 1);
    const { ignored, unignored } = own.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}
