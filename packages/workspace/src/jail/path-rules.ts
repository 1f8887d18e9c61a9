import { ToolError } from "@toolweave/core";
import { checks, type OptionChecks } from "@toolweave/core/adapter";
import { compileGlobs } from "./glob.ts";

/** A folder that tools may use. */
export interface WorkspaceRoot {
  /** An absolute path, or one relative to the working directory of the process. */
  readonly path: string;
  readonly access: "read" | "write";
}

/** Which paths below the roots tools may use. Globs are relative to a root; one without a slash matches at any depth. */
export interface PathRules {
  /** Paths that no tool reads or writes, whatever a person approves. Default: none. */
  readonly deny?: readonly string[];
  /** Paths for which reads and writes wait for approval. Default: none. */
  readonly ask?: readonly string[];
  /** Paths whose writes wait for approval, since other programs run what they contain. Default: `protectedPaths`. */
  readonly protected?: readonly string[];
  /** Paths whose reads and writes wait for approval, since they contain credentials. Default: `secretPaths`. */
  readonly secrets?: readonly string[];
  /** Files with more than one hard link, which may be files outside the roots. Default: `"ask"`. */
  readonly hardLinks?: "allow" | "ask" | "deny";
  /** Maximum number of characters of a path. Default: 4,096. */
  readonly maxPathLength?: number;
}

export const rootChecks: OptionChecks<WorkspaceRoot> = {
  path: checks.required(checks.filledText),
  access: checks.required(checks.oneOf("read", "write")),
};

/** A glob that can match a path below a root. */
const ruleGlob = checks.valueThat(
  (glob) =>
    typeof glob === "string" &&
    glob !== "" &&
    glob === glob.trim() &&
    !/^~|(?:^|\/)\.\.(?:\/|$)/.test(glob),
  'a glob relative to a root, without "..", "~" and white space at its ends',
);
const globs = checks.list(ruleGlob);

export const pathRuleChecks: OptionChecks<PathRules> = {
  deny: globs,
  ask: globs,
  protected: globs,
  secrets: globs,
  hardLinks: checks.oneOf("allow", "ask", "deny"),
  maxPathLength: checks.wholeFrom(1),
};

/** Files whose content other programs run or obey: hooks, settings of editors and agents, start files of shells. */
export const protectedPaths: readonly string[] = [
  ".git/hooks",
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".git/info/attributes",
  ".git/modules",
  ".gitmodules",
  ".gitattributes",
  ".vscode",
  ".idea",
  "*.code-workspace",
  ".mcp.json",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".toolweave",
  ".harness",
  "toolweave.json",
  "toolweave.md",
  "harness.md",
  ".envrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".husky",
  ".github/workflows",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  "config.fish",
  ".gitconfig",
];

/** Files that contain credentials. */
export const secretPaths: readonly string[] = [
  ".env",
  ".env.*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.kdbx",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  ".ssh",
  ".aws",
  ".gnupg",
  ".netrc",
  ".pgpass",
  "credentials.json",
  ".git-credentials",
  ".docker/config.json",
  ".kube/config",
];

/** The reason for which a path is special. */
export type PathClass = "denied" | "secret" | "protected" | "ask";

const maxKnown = 10_000;

/** The compiled globs of path rules. */
export class PathMatcher {
  readonly #classes: readonly (readonly [PathClass, (path: string) => boolean])[];
  /** The classes of paths that were asked for: an agent uses the same ones again and again. */
  readonly #known = new Map<string, readonly PathClass[]>();

  constructor(rules: PathRules) {
    this.#classes = [
      ["denied", compile(rules.deny ?? [])],
      ["secret", compile(rules.secrets ?? secretPaths)],
      ["protected", compile(rules.protected ?? protectedPaths)],
      ["ask", compile(rules.ask ?? [])],
    ];
  }

  /** All classes of a path, the strictest first. */
  findClasses(path: string): readonly PathClass[] {
    let classes = this.#known.get(path);
    if (classes === undefined) {
      classes = this.#classes.flatMap(([name, matches]) => (matches(path) ? [name] : []));
      if (this.#known.size === maxKnown) this.#known.clear();
      this.#known.set(path, classes);
    }
    return classes;
  }
}

/**
 * Compiles globs to a test. Case is ignored: on some file systems `.GIT/Hooks` is the same folder as `.git/hooks`. A glob
 * that matches a folder matches everything below it. Brackets and braces also match themselves, as in the globs of tools.
 */
function compile(globs: readonly string[]): (path: string) => boolean {
  const all = globs.flatMap((glob) => {
    const clean = glob.replace(/(?<=^|\/)(?:\.?\/)+/g, "").replace(/\/(?:\*\*)?$/, "");
    const anywhere = clean.includes("/") && !clean.startsWith(".") ? clean : `**/${clean}`;
    return [anywhere, `${anywhere}/**`];
  });
  try {
    return compileGlobs(all, { ignoreCase: true, bracketNames: true });
  } catch (error) {
    throw new ToolError("invalid_configuration", (error as Error).message, { cause: error });
  }
}
