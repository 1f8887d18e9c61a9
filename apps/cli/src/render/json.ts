import type { Output } from "../process/output.ts";
import type { Style } from "../process/terminal.ts";
import { safeJson } from "./text.ts";

/**
 * Formats a value as JSON and a line break: indented and coloured on a terminal, otherwise for programs.
 *
 * @param indent the number of spaces for programs. Default: 2; 0: one line.
 */
export function formatJson(
  value: unknown,
  { isTerminal, style }: Pick<Output, "isTerminal" | "style">,
  indent = 2,
): string {
  const json = safeJson(JSON.stringify(value, null, isTerminal ? 2 : indent));
  // Colours that are forced for a pipe would not be JSON.
  return `${isTerminal ? colorJson(json, style) : json}\n`;
}

const token =
  /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Colours the keys and values of JSON. */
export function colorJson(json: string, style: Style): string {
  return json.replace(token, (part, text?: string, colon?: string) => {
    if (text !== undefined && colon !== undefined) return style("cyan", text) + colon;
    if (text !== undefined) return style("green", text);
    return style(/^[tfn]/.test(part) ? "magenta" : "yellow", part);
  });
}
