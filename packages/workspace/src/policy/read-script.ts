import {
  forEachChild,
  parse,
  type Command,
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  type PipelineNode,
  type AndOr,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import type { PathUse, ReadScript, SimpleCommand, UnknownPart } from "./script.ts";

/** Maximum number of characters of a script that is read. */
const maxLength = 10_000;
/** Maximum number of openings of nested parts: parsers take long for many of them. */
const maxOpenings = 200;
const maxDepth = 64;
const maxCommands = 50;

/**
 * Reads a script of bash: the commands that it would run. Only parts that are fully understood count as known. Everything
 * else is an unknown part with a reason, also syntax that is not listed here.
 *
 * @param cwd the folder in which it runs; undefined: unknown.
 */
export function readScript(source: string, cwd: string | undefined): ReadScript {
  const refusal = findRefusal(source);
  if (refusal !== undefined)
    return { commands: [], unknown: [{ reason: refusal, span: [0, source.length] }] };
  const reader = new ScriptReader(source);
  reader.script(parse(source), { cwd });
  const { commands, unknown } = reader;
  if (commands.length <= maxCommands) return { commands, unknown };
  const reason = `more than ${maxCommands} commands`;
  return { commands, unknown: [...unknown, { reason, span: [0, source.length] }] };
}

/** Why a script is not parsed at all. */
function findRefusal(source: string): string | undefined {
  if (source.length > maxLength) return `more than ${maxLength} characters`;
  // Shells and parsers differ in what they are.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(source)) return "a control character";
  if (/[\u0085\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/.test(source)) {
    return "an invisible character";
  }
  if (/(?<!\\)(?:\\\\)*\\$/.test(source)) return "a backslash at the end";
  const openings = source.match(/[({`[]|<</g)?.length ?? 0;
  return openings > maxOpenings ? "too many nested parts" : undefined;
}

/** The state of the shell, as far as it is known. */
interface ShellState {
  /** Relative to the folder of the script; undefined: unknown. */
  cwd: string | undefined;
}

class ScriptReader {
  readonly commands: SimpleCommand[] = [];
  readonly unknown: UnknownPart[] = [];
  readonly #source: string;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  script({ commands, errors, pos, end }: ParsedScript, state: ShellState): void {
    if (errors !== undefined && errors.length > 0) {
      this.#addUnknown("a syntax error", { pos, end });
    }
    this.#list(commands, state);
  }

  #list(statements: readonly Statement[], state: ShellState): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      this.unknown.push({ reason: "too many nested parts", span: [0, this.#source.length] });
    } else {
      for (const [index, statement] of statements.entries()) {
        const before = state.cwd;
        this.#statement(statement, state);
        // After a `cd` that may have failed, both folders are possible.
        if (index < statements.length - 1 && state.cwd !== before) state.cwd = undefined;
      }
    }
    this.#depth -= 1;
  }

  #statement({ command, background, pos, end }: Statement, state: ShellState): void {
    if (background === true) this.#addUnknown("a background command", { pos, end });
    if (command.type === "AndOr") this.#andOr(command, state);
    else this.#pipeline(command, state);
  }

  #andOr({ commands, operators }: AndOr, state: ShellState): void {
    for (const [index, command] of commands.entries()) {
      const before = state.cwd;
      this.#pipeline(command, state);
      if (state.cwd !== before && operators[index] === "||") state.cwd = undefined;
    }
  }

  #pipeline(node: PipelineNode, state: ShellState): void {
    if (node.type !== "Pipeline") return this.#command(node, state);
    const { prefixes, commands } = node;
    if (prefixes.some(({ type }) => type !== "Time" && type !== "Negation"))
      this.#addUnknown("a prefix", node);
    // The commands of a pipeline run in shells of their own.
    for (const command of commands)
      this.#command(command, commands.length > 1 ? { ...state } : state);
  }

  #command(node: CommandNode, state: ShellState): void {
    switch (node.type) {
      case "Command":
        return this.#simple(node, state);
      case "Subshell":
        // It is understood, but agents of others ask for one, and this policy is never weaker than theirs.
        this.#addUnknown("a subshell", node);
        return this.#compound(node.body, { ...state });
      case "BraceGroup":
        return this.#compound(node.body, state);
      case "If":
        this.#compound(node.clause, state);
        for (const part of [
          node.then,
          ...node.elif.flatMap(({ clause, then }) => [clause, then]),
          node.else,
        ]) {
          if (part !== undefined) this.#compound(part, { ...state });
        }
        state.cwd = undefined;
        return;
      case "While":
        this.#compound(node.clause, { cwd: undefined });
        this.#compound(node.body, { cwd: undefined });
        state.cwd = undefined;
        return;
      case "Redirected":
        for (const redirect of node.redirects) this.#redirectOfGroup(redirect, state);
        return this.#command(node.command, state);
      default:
        this.#inside(node, unknownNodes[node.type] ?? "unusual syntax");
        state.cwd = undefined;
    }
  }

  #compound({ commands }: CompoundList, state: ShellState): void {
    this.#list(commands, state);
  }

  /** A redirection around several commands: a command of its own, that only redirects. */
  #redirectOfGroup(redirect: Redirection, state: ShellState): void {
    const uses = this.#redirect(redirect, state);
    if (uses.length > 0) {
      this.commands.push({
        argv: [":"],
        redirects: uses,
        cwd: state.cwd,
        span: [redirect.pos, redirect.end],
      });
    }
  }

  #simple(node: Command, state: ShellState): void {
    const { name, prefix, suffix, pos, end } = node;
    const argv: (string | undefined)[] = [];
    const redirects: PathUse[] = [];
    for (const part of prefix) {
      if (part.type === "Assignment") this.#inside(part, "an assignment of a variable");
      else redirects.push(...this.#redirect(part, state));
    }
    if (name !== undefined) argv.push(this.#word(name));
    for (const part of suffix) {
      if (part.type === "Word") argv.push(this.#word(part));
      // As an argument, such as of `env`, it is a word.
      else if (part.type === "Assignment") argv.push(this.#assignmentWord(part));
      else redirects.push(...this.#redirect(part, state));
    }
    if (argv.includes(undefined)) return;
    if (argv.length === 0 && redirects.length === 0) return;
    const known = argv as string[];
    this.commands.push({
      argv: known.length === 0 ? [":"] : known,
      redirects,
      cwd: state.cwd,
      span: [pos, end],
    });
    if (changesFolder.has(known[0] as string)) state.cwd = folderAfter(known, state.cwd);
  }

  /** The text of an argument that looks like an assignment; undefined: unknown. */
  #assignmentWord(
    part: SyntaxNode & { readonly text: string; readonly pos: number; readonly end: number },
  ): string | undefined {
    if (/^[\w./,:@%+-]+=[\w./,:@%+-]*$/.test(part.text)) return part.text;
    this.#inside(part, "an assignment of a variable");
    return undefined;
  }

  #redirect(redirect: Redirection, { cwd }: ShellState): readonly PathUse[] {
    if (redirect.descriptor?.type === "FileDescriptorVariable") {
      this.#addUnknown("a file descriptor in a variable", redirect);
    }
    if (redirect.type === "HereDoc") {
      const { delimiter, body } = redirect;
      if (delimiter?.quoted !== true && /[$`\\]/.test(body.text))
        this.#inside(body, "an expansion in a here-document");
      if (redirect.closing === undefined)
        this.#addUnknown("a here-document without an end", redirect);
      return [];
    }
    const target = redirect.target === undefined ? undefined : this.#word(redirect.target);
    if (target === undefined) {
      if (redirect.target === undefined)
        this.#addUnknown("a redirection without a target", redirect);
      return [];
    }
    if (redirect.type === "HereString") return [];
    const { operator } = redirect;
    if (operator === ">&" || operator === "<&") {
      if (/^(?:\d+-?|-)$/.test(target)) return [];
      // `<&-a` is `<&-` and the word `a`.
      if (operator === "<&" || /^[\d-]/.test(target)) {
        this.#addUnknown("an unusual redirection", redirect);
        return [];
      }
    }
    if (/^\/dev\/(?:tcp|udp)\//.test(target)) {
      this.#addUnknown("a connection by redirection", redirect);
      return [];
    }
    if (freeTargets.has(target)) return [];
    return [{ path: target, access: operator === "<" ? "read" : "write", cwd }];
  }

  /** The value of a word; undefined: it is not known. */
  #word(word: Word): string | undefined {
    const unknown = unknownPart(word);
    if (unknown === undefined) return word.value;
    this.#inside(word, unknown);
    return undefined;
  }

  /** Records an unknown part, and reads the commands inside it, for rules that deny. */
  #inside(node: SyntaxNode, reason: string): void {
    this.#addUnknown(reason, node as { pos: number; end: number });
    this.#depth += 1;
    if (this.#depth <= maxDepth) this.#descend(node);
    this.#depth -= 1;
  }

  #descend(node: SyntaxNode): void {
    forEachChild(node, (child) => {
      if (child.type === "Script") return this.script(child as ParsedScript, { cwd: undefined });
      if (child.type === "Statement") return this.#statement(child, { cwd: undefined });
      if (child.type === "Command") return this.#simple(child, { cwd: undefined });
      this.#descend(child);
    });
  }

  #addUnknown(reason: string, { pos, end }: { readonly pos: number; readonly end: number }): void {
    this.unknown.push({ reason, span: [pos, end] });
  }
}

const freeTargets: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

const unknownNodes: Readonly<Record<string, string>> = {
  For: "a loop over a variable",
  ArithmeticFor: "a loop over a variable",
  Select: "a menu",
  Case: "a case distinction",
  Function: "the definition of a function",
  Coproc: "a coprocess",
  TestCommand: "a test that evaluates its words",
  ArithmeticCommand: "arithmetic",
};

const unknownParts: Readonly<Record<string, string>> = {
  Glob: "a pattern of file names",
  ExtendedGlob: "a pattern of file names",
  AnsiCQuoted: "a text with escapes",
  LocaleString: "a translated text",
  SimpleExpansion: "a variable",
  ParameterExpansion: "a variable",
  CommandExpansion: "a command substitution",
  ArithmeticExpansion: "arithmetic",
  ProcessSubstitution: "a process substitution",
  BraceExpansion: "an expansion of braces",
};

/** Why the value of a word is unknown; undefined: it is known. */
function unknownPart({ text, parts }: Word): string | undefined {
  if (/^[\w./,:@%+=-]+$/.test(text)) return undefined;
  // The shell removes it before it reads the word, so that `$\` and `x` on the next line are a variable.
  if (text.includes("\\\n")) return "a word on two lines";
  // `~` and `a=~` are folders of users, unless they are quoted.
  if (/(?:^|[=:])~/.test(text)) return "a home folder";
  for (const part of parts ?? []) {
    const unknown = unknownInPart(part);
    if (unknown !== undefined) return unknown;
  }
  // A pattern or an expansion that the parser has not reported.
  return parts === undefined && /(?<!\\)[*?[\]{}$`]/.test(text) && !/^[[\]{}]+$/.test(text)
    ? "a pattern of file names"
    : undefined;
}

function unknownInPart(part: WordPart): string | undefined {
  if (part.type === "Literal" || part.type === "SingleQuoted") return undefined;
  if (part.type !== "DoubleQuoted") return unknownParts[part.type] ?? "unusual syntax";
  for (const inner of part.parts) {
    if (inner.type !== "Literal") return unknownParts[inner.type] ?? "unusual syntax";
  }
  return undefined;
}

const changesFolder: ReadonlySet<string> = new Set(["cd", "pushd", "popd"]);

/** The folder after a `cd` that has succeeded. */
function folderAfter(argv: readonly string[], cwd: string | undefined): string | undefined {
  const [name, target, ...more] = argv;
  if (name !== "cd" || target === undefined || target.startsWith("-") || more.length > 0)
    return undefined;
  if (target.startsWith("/")) return target;
  if (cwd === undefined) return undefined;
  return cwd === "" ? target : `${cwd}/${target}`;
}
