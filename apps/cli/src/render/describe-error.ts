import { safeText } from "./text.ts";

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

/** The message. What is wrong with a store, and where it is, stands in the causes of an error about it. */
function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const messages = [error.message];
  const isOfStore = (error as { readonly code?: unknown }).code === "store_unavailable";
  let cause = isOfStore ? error.cause : undefined;
  for (let count = 0; count < maxCauses && isToolError(cause); count++) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  return messages.join("\n");
}

function isToolError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ToolError";
}

const optionNames: Readonly<Record<string, string>> = {
  "`auth`": "--auth",
  "`headers`": "--header",
  "`baseUrl`": "--base-url",
  "`allowOrigins`": "--allow-origin",
  "`credentialOrigins`": "--allow-origin",
  "`allowReferences`": "--allow-reference",
};

/**
 * Names options as they are written here: the libraries' messages advise `baseUrl`, `auth`, `allowOrigins` and
 * `allowReferences`, and the command line has `--base-url`, `--auth`, `--allow-origin` and `--allow-reference`. Only
 * advice is changed: the text of a server or a document may use the same words.
 */
export function useOptionNames(message: string): string {
  return message
    .replace(/\b(?:pass|set|configure|check) (?:them as )?`(?:auth|baseUrl)`[^.;]*/gi, (advice) =>
      advice.replace(/`\w+`/g, (name) => optionNames[name] ?? name),
    )
    .replace(/\bbaseUrl or (?=credentialOrigins: \[")/g, "--base-url or ")
    .replace(/\b(?:allowOrigins|credentialOrigins): \["([^"\s]+)"\]/g, "--allow-origin $1")
    .replace(
      /`allowReferences` with its folder opens it/g,
      "--allow-reference with its folder opens it",
    )
    .replace(/`allowReferences: \["([^"\s]+)"\]` opens it/g, "--allow-reference $1 opens it")
    .replace(/^auth\.schemes has (?="[^"]*", which is not a security scheme)/, "--auth names ");
}
