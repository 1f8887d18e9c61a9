import { dirname } from "node:path";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { isYes } from "../../prompt/questions.ts";
import { describeError } from "../../render/describe-error.ts";
import { checkSources, type SourceCheck } from "./check-source.ts";
import { sourceNames, withSource, type ConfigFile } from "./config-file.ts";
import {
  defaultName,
  parseSourcePlace,
  toSources,
  type NewSource,
  type SourceCredentials,
  type SourceKind,
  type SourcePlace,
} from "./new-source.ts";
import { ask, mayAsk, type ConfirmOptions } from "./prompts.ts";

/** The options of commands that add a source. */
export interface AddSourceOptions extends ConfirmOptions {
  readonly name?: string;
  readonly kind?: SourceKind;
  readonly auth?: readonly string[];
  readonly env?: readonly string[];
  /** false: `--no-check`. */
  readonly check?: boolean;
  readonly verbose?: boolean;
}

/** The result of adding a source to the text of a configuration, which is not written yet. */
export interface AddedSource {
  readonly source: NewSource;
  /** undefined: it was not checked, or could not be loaded and was added nevertheless. */
  readonly check: SourceCheck | undefined;
  readonly text: string;
}

/**
 * Adds a source to the text of a configuration: tells its kind, asks for its credentials on a terminal, and loads it
 * once.
 *
 * @returns undefined: it could not be loaded, and is not added; the error is printed.
 * @throws UsageError
 */
export async function addSource(
  words: readonly string[],
  config: Pick<ConfigFile, "path" | "value"> & { readonly text: string },
  options: AddSourceOptions,
  io: CliIo,
  output: Output,
): Promise<AddedSource | undefined> {
  const folder = dirname(config.path);
  const place = parseSourcePlace(words, folder, io.env);
  const name = chooseName(place, options.name, sourceNames(config.value));
  const credentials = await getCredentials(place, options, io);
  const sources = toSources(place, name, credentials, options.kind);
  const [likeliest, other] = sources;
  if (options.check === false) {
    if (other !== undefined) {
      throw new UsageError(
        "What answers at this URL is not known without a check: add --kind openapi or --kind mcp.",
      );
    }
    return { source: likeliest, check: undefined, text: withSource(config.text, likeliest) };
  }
  // A module is code of this folder that is not run before it is part of a trusted configuration.
  if (place.kind === "module") {
    return { source: likeliest, check: undefined, text: withSource(config.text, likeliest) };
  }
  try {
    const check = await checkSources(sources, folder, io, output);
    return { source: check.source, check, text: withSource(config.text, check.source) };
  } catch (error) {
    const { ToolError } = await import("@toolweave/core");
    if (!ToolError.is(error)) throw error;
    output.printMessage(describeError(error, options.verbose ?? false));
    if (!mayAsk(io, options) || !isYes(await ask("Add it nevertheless? [y/N] ", io))) {
      output.printMessage(
        "toolweave: Nothing was added. `--no-check` adds a source that cannot be loaded yet.",
      );
      return undefined;
    }
    return { source: likeliest, check: undefined, text: withSource(config.text, likeliest) };
  }
}

function chooseName(
  place: SourcePlace,
  explicit: string | undefined,
  taken: ReadonlySet<string>,
): string {
  if (explicit !== undefined) {
    if (!/^[A-Za-z0-9_-]{1,60}$/.test(explicit)) {
      throw new UsageError("--name must have letters, digits, - and _ only, such as pet-shop.");
    }
    if (taken.has(explicit)) {
      throw new UsageError(
        `The configuration has a source ${JSON.stringify(explicit)} already: choose another --name.`,
      );
    }
    return explicit;
  }
  const name = defaultName(place);
  for (let number = 2; ; number++) {
    const candidate = number === 2 && !taken.has(name) ? name : `${name}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The credentials of the options; without any, a person is asked for the names of variables. */
async function getCredentials(
  place: SourcePlace,
  options: AddSourceOptions,
  io: CliIo,
): Promise<SourceCredentials> {
  const { auth = [], env = [] } = options;
  const isAsked = auth.length + env.length === 0 && mayAsk(io, options);
  if (!isAsked || place.kind === "module") return { auth, env };
  if (place.kind === "program") {
    const names = await askForNames(
      "Environment variables that it needs, by name (Enter: none): ",
      io,
    );
    return { auth, env: names };
  }
  const [token] = await askForNames("Environment variable with its token (Enter: none): ", io);
  return { auth: token === undefined ? [] : [`bearer:$${token}`], env };
}

async function askForNames(question: string, io: CliIo): Promise<readonly string[]> {
  for (;;) {
    const typed = await ask(question, io);
    const names = typed
      .split(/[\s,]+/)
      .filter((name) => name !== "")
      .map((name) => name.replace(/^\$/, ""));
    if (names.every((name) => /^[A-Za-z_]\w*$/.test(name))) return names;
    // What was typed is not repeated: it may be a secret.
    io.stderr.write("Only names, such as API_KEY. The value stays in the environment.\n");
  }
}
