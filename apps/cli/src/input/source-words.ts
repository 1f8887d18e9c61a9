import { UsageError } from "../process/exit-code.ts";

/** The words of a command line, with the sources of tools before the others. */
export interface SplitWords {
  readonly sources: readonly string[];
  readonly rest: readonly string[];
}

const moduleName = /\.[cm]?[jt]s$/i;
const documentName = /\.(?:jsonc?|ya?ml)$/i;

/** True for the path of a module. */
export function isModulePath(word: string): boolean {
  return moduleName.test(word);
}

/** True for a word that is written like a URL, a path, or the name of a JSON, YAML, JavaScript or TypeScript file. */
function isSourceWord(word: string): boolean {
  if (/^(?:https?|file):\/\//i.test(word)) return true;
  // `key=value`
  if (/^[^/\\]*=/.test(word)) return false;
  return (
    /^(?:\.{0,2}|~|[A-Za-z]:)[/\\]/.test(word) || moduleName.test(word) || documentName.test(word)
  );
}

/** Takes the sources from the beginning of the words: no name of a tool is written like one. */
export function splitSources(words: readonly string[]): SplitWords {
  const end = words.findIndex((word) => !isSourceWord(word));
  return end === -1
    ? { sources: words, rest: [] }
    : { sources: words.slice(0, end), rest: words.slice(end) };
}

/** A call as it is written: `[source...] <tool> [key=value...]`. */
export interface CallWords {
  readonly sources: readonly string[];
  readonly tool: string;
  readonly words: readonly string[];
}

/**
 * Takes the sources, the tool and its arguments from the words of a command.
 *
 * @param command its name, for the error.
 * @throws UsageError if there is no tool.
 */
export function splitCallWords(all: readonly string[], command: string): CallWords {
  const { sources, rest } = splitSources(all);
  const [tool, ...words] = rest;
  if (tool === undefined) {
    throw new UsageError(
      `The name of a tool is missing: write it after its source, as in \`toolweave ${command} ${sources[0] ?? "openapi.yaml"} <tool> key=value\`. \`toolweave inspect\` lists the tools.`,
    );
  }
  const late = words.find((word) => isSourceWord(word));
  if (late !== undefined) {
    throw new UsageError(
      `${JSON.stringify(late)} is no argument of the form key=value. If it is the source of the tool, write it before the tool: \`toolweave ${command} ${late} ${tool}\`.`,
    );
  }
  return { sources, tool, words };
}
