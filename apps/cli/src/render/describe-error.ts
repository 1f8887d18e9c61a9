import { useOptionNames } from "./option-names.ts";
import { safeText } from "./safe-text.ts";

const maxCauses = 8;

/**
 * An error for stderr: its message; with `verbose` also its stack and those of its causes.
 */
export function describeError(error: unknown, verbose: boolean): string {
  const lines = [indentMessage(`toolweave: ${useOptionNames(getMessage(error))}`)];
  if (verbose) {
    let current: unknown = error;
    for (let count = 0; count < maxCauses && current instanceof Error; count++) {
      if (count > 0) lines.push(indentMessage(`Caused by ${current.name}: ${current.message}`));
      const frames = current.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
      lines.push(...frames);
      current = current.cause;
    }
  }
  return safeText(lines.join("\n"));
}

/** Indents a message. It may quote foreign text: no line of it must look like one of the command. */
function indentMessage(message: string): string {
  return message.replace(/\r?\n/g, "\n  ");
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
