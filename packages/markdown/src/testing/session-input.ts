import { parse } from "@toolweave/starlark";

/** The state of a text at a prompt: complete, an open bracket or string, or a block that an empty line ends. */
type InputState = "complete" | "open" | "block";

/** Collects lines to inputs, as Python's prompt does: a block ends with an empty line, or before a line that is not indented. */
export class SessionInput {
  #lines: string[] = [];

  /** Whether the next line continues an input. */
  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /** Takes a line, and returns the inputs that it completes. */
  add(line: string): readonly string[] {
    const completed: string[] = [];
    const isBlank = line.trim() === "";
    if (this.#lines.length > 0 && !isBlank && /^[^\s#]/.test(line)) {
      const continues = /^(?:else|elif)\b/.test(line);
      if (!continues && toInputState(this.#text()) === "block") completed.push(...this.end());
    }
    if (this.#lines.length === 0 && isBlank) return completed;
    this.#lines.push(line);
    const state = toInputState(this.#text());
    if (state === "complete" || (state === "block" && isBlank)) completed.push(...this.end());
    return completed;
  }

  /** The input so far, if there is one. */
  end(): readonly string[] {
    if (this.#lines.length === 0) return [];
    const text = this.#text();
    this.#lines = [];
    return [text];
  }

  /** Drops the input so far. */
  clear(): void {
    this.#lines = [];
  }

  #text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

const compound: ReadonlySet<string> = new Set(["def", "if", "for", "while"]);

function toInputState(text: string): InputState {
  const { problems, statements } = parse(text, { dialect: "session" });
  const isEnd = (message: string): boolean =>
    message.startsWith("got end of file") || message === "unexpected EOF in string";
  if (problems.length > 0) {
    // The lines that follow do not repair another fault.
    if (!problems.every(({ message }) => isEnd(message))) return "complete";
    return problems.every(({ message }) => message.endsWith("want indent")) ? "block" : "open";
  }
  return compound.has(statements.at(-1)?.kind ?? "") ? "block" : "complete";
}
