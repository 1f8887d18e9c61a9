import { styleText } from "node:util";

/** The style of a text. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** The output of the demo. */
export interface Terminal {
  /** Prints one line, or several. */
  line(text?: string): void;
  /** The text in a style; unchanged if colours are disabled. */
  paint(style: Style, text: string): string;
}

/** A terminal on stdout, with colours only if stdout is a terminal and colours are not disabled. */
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
