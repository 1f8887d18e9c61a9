import { dirname } from "node:path";
import type { JsonObject, ToolError } from "@toolweave/core";
import type { DeclaredSecurityScheme } from "@toolweave/openapi";
import type { CliIo } from "../../process/cli-io.ts";
import { parseOrigin, validateBaseUrl } from "../../input/api-options.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { isYes } from "../../prompt/questions.ts";
import { describeError } from "../../render/describe-error.ts";
import { safeLine } from "../../render/text.ts";
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
  readonly header?: readonly string[];
  readonly baseUrl?: string;
  readonly allowOrigin?: readonly string[];
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
  if (options.name === undefined) assertNew(place, config);
  await assertPackage(place, options, io);
  const name = chooseName(place, options.name, sourceNames(config.value));
  const credentials = await getCredentials(place, options, io);
  const [likeliest, other] = toSources(place, name, credentials, options.kind).map((source) =>
    withDocumentOptions(source, options),
  ) as [NewSource, NewSource?];
  if (options.baseUrl !== undefined && likeliest.block !== "openapi") {
    throw new UsageError("--base-url is for OpenAPI documents.");
  }
  const sources: readonly [NewSource, ...NewSource[]] =
    other === undefined ? [likeliest] : [likeliest, other];
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
    let check = await checkSources(sources, folder, io, output);
    const auth = isAsked(options, io) ? await askForCredentials(check, io) : [];
    if (auth.length > 0) {
      const kind = check.source.block === "openapi" ? "openapi" : "mcp";
      const [plain] = toSources(place, name, { ...credentials, auth }, kind);
      const source = withDocumentOptions(plain, options);
      check = { ...check, source, needsLogin: false };
    }
    const origin = check.refusedOrigin;
    if (origin !== undefined) {
      const question = `Allow requests to ${safeLine(origin)}? [y/N] `;
      if (mayAsk(io, options) && isYes(await ask(question, io))) {
        check = { ...check, source: withDocumentOptions(check.source, { allowOrigin: [origin] }) };
      } else {
        output.printMessage(
          `toolweave: Requests to ${safeLine(origin)} are refused: it is not a public address, and the document chose it, not you. To allow it, add "allowOrigins": ["${safeLine(origin)}"] to openapi.${name} in ${safeLine(config.path)}.`,
        );
      }
    }
    return { source: check.source, check, text: withSource(config.text, check.source) };
  } catch (error) {
    const { ToolError } = await import("@toolweave/core");
    if (!ToolError.is(error)) throw error;
    output.printMessage(describeError(shortenLoadError(error, place), options.verbose ?? false));
    if (!mayAsk(io, options) || !isYes(await ask("Add it nevertheless? [y/N] ", io))) {
      output.printMessage(
        "toolweave: Nothing was added. `--no-check` adds a source that cannot be loaded yet.",
      );
      return undefined;
    }
    return { source: likeliest, check: undefined, text: withSource(config.text, likeliest) };
  }
}

/**
 * A package is run only if a person has named it as one.
 *
 * @throws UsageError
 */
async function assertPackage(
  place: SourcePlace,
  options: AddSourceOptions,
  io: CliIo,
): Promise<void> {
  if (place.kind !== "program" || place.assumedPackage === undefined) return;
  const name = place.assumedPackage;
  const isAgreed =
    mayAsk(io, options) &&
    isYes(
      await ask(
        `${name} is not on PATH. Run the package of that name from npm with npx -y? [y/N] `,
        io,
      ),
    );
  if (isAgreed) return;
  throw new UsageError(
    `${name} is not on PATH. If it is a package of npm, write the command: 'npx -y ${name}'.`,
  );
}

/** @throws UsageError for a source that the configuration has already: all tools would be there twice. */
function assertNew(place: SourcePlace, { path, value }: Pick<ConfigFile, "path" | "value">): void {
  const isSame = (entry: unknown): boolean => {
    if (place.kind === "module") return entry === place.file;
    if (typeof entry !== "object" || entry === null) return false;
    const { url, file, command, args = [] } = entry as Readonly<Record<string, unknown>>;
    if (place.kind === "url") return url === place.url;
    if (place.kind === "document") return file === place.file;
    return command === place.command && JSON.stringify(args) === JSON.stringify(place.args);
  };
  for (const block of ["mcpServers", "servers", "mcp", "openapi", "tools"]) {
    for (const [name, entry] of Object.entries(value[block] ?? {})) {
      if (!isSame(entry)) continue;
      if (place.kind === "module") throw new UsageError(`${path} has ${place.file} already.`);
      const what = { url: "URL", document: "document", program: "command" }[place.kind];
      throw new UsageError(
        `${name} has this ${what} already: use --name to add it again under another prefix, or change it in ${path}.`,
      );
    }
  }
}

/** The decisive part of the error of a source that could not be loaded. */
function shortenLoadError(error: ToolError, place: SourcePlace): Error {
  const unset = /the environment variable (\w+) is not set/.exec(error.message)?.[1];
  if (unset !== undefined) {
    return new UsageError(
      `The environment variable ${unset} is not set, and the source needs it. Set it, or add the source with --no-check.`,
      { cause: error },
    );
  }
  const missing =
    place.kind === "program" && /\bnpm (?:error|ERR!) (?:code )?E?404\b/.test(error.message);
  if (!missing) return error;
  const name = place.args.find((word) => !word.startsWith("-")) ?? "";
  return new UsageError(`npm has no package ${name}.`, { cause: error });
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

/** The source, with the options of a document that say where its requests go. */
function withDocumentOptions(
  source: NewSource,
  { baseUrl, allowOrigin = [] }: Pick<AddSourceOptions, "baseUrl" | "allowOrigin">,
): NewSource {
  if (source.block !== "openapi") return source;
  const value = {
    ...(source.value as JsonObject),
    ...(baseUrl === undefined ? {} : { baseUrl: validateBaseUrl(baseUrl) }),
    ...(allowOrigin.length === 0 ? {} : { allowOrigins: allowOrigin.map(parseOrigin) }),
  };
  return { ...source, value };
}

/** A person is asked for credentials if the options have none. */
function isAsked(options: AddSourceOptions, io: CliIo): boolean {
  const { auth = [], env = [] } = options;
  return auth.length + env.length === 0 && mayAsk(io, options);
}

/** The credentials of the options; for a program without any, a person is asked for the names of variables. */
async function getCredentials(
  place: SourcePlace,
  options: AddSourceOptions,
  io: CliIo,
): Promise<SourceCredentials> {
  const { auth = [], env = [], header: headers = [] } = options;
  if (place.kind !== "program" || !isAsked(options, io)) return { auth, env, headers };
  const names = await askForNames(
    "Environment variables that it needs, by name (Enter: none): ",
    io,
  );
  return { auth, env: names, headers };
}

/** Asks for what the source requires, which is known since it was loaded; the result is that of `--auth`. */
async function askForCredentials(
  { source, schemes, needsLogin }: SourceCheck,
  io: CliIo,
): Promise<readonly string[]> {
  if (source.block === "mcpServers") {
    if (!needsLogin) return [];
    const question = "Environment variable with its token (Enter: none, sign in later): ";
    const [token] = await askForNames(question, io);
    return token === undefined ? [] : [`bearer:$${token}`];
  }
  const auth = new Set<string>();
  for (const scheme of schemes) {
    const wanted = describeScheme(scheme);
    if (wanted === undefined) continue;
    const variables = wanted.isPassword
      ? "Environment variables with user name and password"
      : "Environment variable with it";
    const question = `The API wants ${wanted.what} (scheme ${safeLine(scheme.name)}). ${variables} (Enter: none): `;
    const [first, second] = await askForNames(question, io);
    if (first === undefined) continue;
    if (!wanted.isPassword) auth.add(`${wanted.option}$${first}`);
    else if (second !== undefined) auth.add(`${wanted.option}$${first}:$${second}`);
  }
  return [...auth];
}

interface WantedCredential {
  readonly what: string;
  /** The beginning of `--auth`. */
  readonly option: string;
  readonly isPassword?: boolean;
}

/** The credential that a scheme requires; undefined: `--auth` has no such credential. */
function describeScheme(scheme: DeclaredSecurityScheme): WantedCredential | undefined {
  switch (scheme.type) {
    case "apiKey": {
      const { name, in: place = "header", parameter = "" } = scheme;
      const kind = place === "query" ? "query parameter" : place;
      const isWritable = /^[A-Za-z_][\w.-]*$/.test(name);
      return {
        what: `an API key in the ${kind} ${safeLine(parameter)}`,
        option: isWritable ? `apiKey:${name}=` : "apiKey:",
      };
    }
    case "http":
      if (scheme.scheme === "bearer") return { what: "a bearer token", option: "bearer:" };
      return scheme.scheme === "basic" || scheme.scheme === "digest"
        ? { what: "a user name with its password", option: "basic:", isPassword: true }
        : undefined;
    case "oauth2":
    case "openIdConnect":
      return { what: "an OAuth access token", option: "bearer:" };
    case "mutualTLS":
      return undefined;
  }
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
