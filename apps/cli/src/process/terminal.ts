import { styleText } from "node:util";
import type { CliIo, TerminalOutput } from "./cli-io.ts";

/** Formats a text for a terminal; without colours it returns the text unchanged. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/**
 * Decides whether a stream gets colours: `FORCE_COLOR` decides if it is set, then `NO_COLOR`; otherwise terminals
 * other than `TERM=dumb` do.
 */
export function hasColors(stream: TerminalOutput, env: CliIo["env"]): boolean {
  const { FORCE_COLOR: forced = "", NO_COLOR: refused = "", TERM: terminal } = env;
  if (forced !== "") return !/^(?:0|false)$/i.test(forced);
  return refused === "" && stream.isTTY === true && terminal !== "dumb";
}

/** Returns the formatter of a stream. */
export function toStyle(colors: boolean): Style {
  return colors
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
}
