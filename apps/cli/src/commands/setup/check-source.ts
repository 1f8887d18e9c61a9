import { ToolError } from "@toolweave/core";
import type { DeclaredSecurityScheme } from "@toolweave/openapi";
import { rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import type { Output } from "../../process/output.ts";
import { showProgress } from "../../render/progress.ts";
import { safeLine } from "../../render/text.ts";
import { defaultPlace, toDataPlace } from "../../store/store-place.ts";
import type { NewSource } from "./new-source.ts";

/** The answer of a source that was loaded once. */
export interface SourceCheck {
  readonly source: NewSource;
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** The number of tools that declare to be read-only, and ask because the hints of their server are not trusted. */
  readonly untrusted: number;
  /** The security schemes of a document. */
  readonly schemes: readonly DeclaredSecurityScheme[];
  /** The origin of a document's server to which requests are refused; undefined: none. */
  readonly refusedOrigin?: string;
  /** A person has to sign in with `toolweave login` first; the source itself answers. */
  readonly needsLogin: boolean;
}

/**
 * Loads sources one after the other, each as a configuration of its own, until one has an answer.
 *
 * @param folder to which the paths of the source are relative.
 * @throws the errors of the sources, joined; Interrupt
 */
export async function checkSources(
  sources: readonly [NewSource, ...NewSource[]],
  folder: string,
  io: CliIo,
  output: Output,
): Promise<SourceCheck> {
  const errors: Error[] = [];
  for (const source of sources) {
    const done = showProgress(io, `Loading ${safeLine(placeText(source))} …`);
    try {
      return await checkSource(source, folder, io, output);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      errors.push(error);
    } finally {
      done();
    }
  }
  const [first, second] = errors;
  if (second === undefined) throw first;
  throw new ToolError(
    "unavailable",
    `This is neither an OpenAPI document nor an MCP server.\nAs a document: ${first?.message}\nAs a server: ${second.message}`,
    { cause: first },
  );
}

async function checkSource(
  source: NewSource,
  folder: string,
  io: CliIo,
  output: Output,
): Promise<SourceCheck> {
  const { loadConfig } = await import("@toolweave/config");
  const { block, name, value } = source;
  const content = { [block]: block === "tools" ? [value] : { [name]: value } };
  const store = toDataPlace(await defaultPlace(io.env));
  const config = await loadConfig(content, { folder, env: io.env, store, onProblem: () => {} });
  try {
    output.addSecrets(...config.secrets);
    await rejectOnInterrupt(config.registry.ready, io.signal);
    for (const one of config.sources) await one.source.ready;
    const specs = [...config.registry.toolset().entries()].map(({ tool }) => tool.spec);
    const readOnly = specs.filter(({ annotations }) => annotations.readOnlyHint === true).length;
    const refusedOrigin = config.registry.problems
      .map(({ message }) => /^Requests to (\S+) are refused: /.exec(message)?.[1])
      .find((origin) => origin !== undefined);
    return {
      ...(refusedOrigin === undefined ? {} : { refusedOrigin }),
      source,
      tools: specs.map(({ name }) => name),
      untrusted: block === "mcpServers" ? readOnly : 0,
      schemes: config.sources.flatMap((one) =>
        one.kind === "openapi" ? one.source.securitySchemes : [],
      ),
      needsLogin: false,
    };
  } catch (error) {
    if (ToolError.is(error) && error.code === "auth_required" && block === "mcpServers") {
      return { source, tools: [], untrusted: 0, schemes: [], needsLogin: true };
    }
    throw error;
  } finally {
    await config.close();
  }
}

function placeText({ name, value }: NewSource): string {
  if (typeof value === "string") return value;
  const { url, file, command } = value as Readonly<Record<string, unknown>>;
  return String(url ?? file ?? command ?? name);
}
