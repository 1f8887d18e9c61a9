import { styleText } from "node:util";

/** How a piece of text stands out. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Where the demo prints to. */
export interface Terminal {
  /** Prints one line, or several. */
  line(text?: string): void;
  /** The text in a style; as it is where colours are not wanted. */
  paint(style: Style, text: string): string;
}

/** A terminal on stdout, with colours only when a person looks at it and has not turned them off. */
export function stdoutTerminal(): Terminal {
  const coloured = process.stdout.isTTY && !process.env["NO_COLOR"];
  return {
    line: (text = "") => void process.stdout.write(`${text}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** `text` in at most `length` characters, on one line. */
export function shorten(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
