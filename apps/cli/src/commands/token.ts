import type { JsonObject, JsonValue } from "@toolweave/core";
import type { ServeToken } from "@toolweave/config";
import type { Command } from "commander";
import type { CliIo } from "../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../process/exit-code.ts";
import type { CommandContext, Output } from "../process/output.ts";
import { collect } from "./shared/options.ts";

/** The options of all commands of `toolweave token`. */
interface TokenOptions {
  readonly config?: string;
  readonly json?: boolean;
}

interface AddOptions extends TokenOptions {
  readonly role?: readonly string[];
  readonly agent?: string;
  readonly expires?: string;
}

const tokenExamples = `
Examples:
  $ toolweave token add ada --role admin
  $ toolweave token add ci --role deploy --agent github --expires 2027-06-30T00:00:00Z
  $ toolweave token list
  $ toolweave token remove ci

A caller of \`toolweave serve --http\` sends its token as \`Authorization: Bearer …\`. The configuration
has the SHA-256 of the token only, so that it can be committed. Rules of the policy name the caller
token:ada, or a role: { "effect": "deny", "tools": "delete_*", "callers": { "roles": "guest" } }.
A gateway that is running reads the file when it is started again.
`;

/** Registers `toolweave token`. */
export function addToken(program: Command, { io, output, end }: CommandContext): void {
  const token = program
    .command("token")
    .summary("manage the callers of a gateway that have tokens")
    .description(
      "Adds, lists and removes callers in `serve.callers.tokens` of a configuration, for `toolweave serve --http`.",
    )
    .addHelpText("after", tokenExamples + exitCodesHelp({}));
  withConfig(token.command("add"))
    .summary("add a caller, and print its token once")
    .description(
      "Adds a caller to the configuration, and prints its token, which is stored nowhere.",
    )
    .argument("<name>", "the name of the caller")
    .option("--role <role>", "a role of the caller; may be repeated", collect)
    .option("--agent <name>", "the program that acts for the caller")
    .option("--expires <time>", "when the token ends, such as 2027-06-30T00:00:00Z")
    .addHelpText(
      "after",
      `
Examples:
  $ toolweave token add ada --role admin --role editor
  $ export GATEWAY_TOKEN=$(toolweave token add ci)
` + exitCodesHelp({}),
    )
    .action(async (name: string, options: AddOptions) => {
      end(await addCaller(name, options, io, output));
    });
  withConfig(token.command("list"))
    .summary("list the callers that have tokens")
    .description("Lists the callers of the configuration that have tokens, without the tokens.")
    .addHelpText("after", `\nExamples:\n  $ toolweave token list --json\n${exitCodesHelp({})}`)
    .action(async (options: TokenOptions) => {
      end(await listCallers(options, io, output));
    });
  withConfig(token.command("remove"))
    .summary("remove a caller")
    .description("Removes a caller from the configuration: its token is not valid any more.")
    .addHelpText("after", `\nExamples:\n  $ toolweave token remove ci\n${exitCodesHelp({})}`)
    .argument("<name>", "the name of the caller")
    .action(async (name: string, options: TokenOptions) => {
      end(await removeCaller(name, options, io, output));
    });
}

function withConfig(command: Command): Command {
  return command
    .option("--config <file>", "the configuration (default: the toolweave.json here)")
    .option("--json", "print the result as JSON");
}

/** A configuration with the callers that have tokens. */
async function readCallers({ config }: TokenOptions, io: CliIo) {
  const { configFile } = await import("../input/tool-options.ts");
  const { readConfigFile } = await import("./setup/config-file.ts");
  const { isObject } = await import("@toolweave/core/adapter");
  const file = await readConfigFile(config ?? configFile, io);
  let tokens = file.value;
  for (const key of place) {
    const member = (tokens[key] ?? {}) as JsonValue;
    if (!isObject(member))
      throw new UsageError(`"${key}" is no object in ${file.path}. Correct the file first.`);
    tokens = member;
  }
  return { file, tokens: tokens as unknown as Readonly<Record<string, ServeToken>> };
}

const place = ["serve", "callers", "tokens"] as const;

async function addCaller(
  name: string,
  options: AddOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { role, agent, expires, json = false } = options;
  if (!/^[\w.@-]{1,64}$/.test(name)) {
    throw new UsageError("The name of a caller has letters, digits, and any of _ . @ - only.");
  }
  const { file, tokens } = await readCallers(options, io);
  if (Object.hasOwn(tokens, name)) {
    throw new UsageError(
      `There is a caller ${name} already: remove it first, or choose another name.`,
    );
  }
  const { createToken, namedTokens } = await import("@toolweave/mcp/serve");
  const { token, sha256 } = createToken();
  const entry = {
    sha256,
    ...(role === undefined ? {} : { roles: [...role] }),
    ...(agent === undefined ? {} : { agent }),
    ...(expires === undefined ? {} : { expires }),
  };
  try {
    namedTokens({ [name]: entry });
  } catch (error) {
    const fault = (error as Error).message.replace(/^namedTokens: [^:]*: /, "--");
    throw new UsageError(fault, { cause: error });
  }
  const { writeConfigFile } = await import("./setup/config-file.ts");
  const { withJsonValue } = await import("./shared/json-file.ts");
  await writeConfigFile(file, withJsonValue(file.text ?? "", [...place, name], entry), io);
  if (json) await printJson({ name, id: `token:${name}`, token }, output);
  else {
    output.printMessage(
      `toolweave: ${name} is a caller now. This is the token, which is stored nowhere:`,
    );
    await output.write(`${token}\n`);
  }
  return exitCode.completed;
}

async function listCallers(options: TokenOptions, io: CliIo, output: Output): Promise<number> {
  const { tokens } = await readCallers(options, io);
  const callers = Object.entries(tokens).map(([name, { roles = [], agent, expires }]) => ({
    name,
    id: `token:${name}`,
    roles,
    ...(agent === undefined ? {} : { agent }),
    ...(expires === undefined ? {} : { expires }),
  }));
  if (options.json === true) {
    await printJson({ callers }, output);
    return exitCode.completed;
  }
  const { formatCount, safeLine } = await import("../render/text.ts");
  const lines = callers.map(({ id, roles, agent, expires }) =>
    safeLine(
      [
        id,
        ...(roles.length === 0 ? [] : [`roles ${roles.join(", ")}`]),
        ...(agent === undefined ? [] : [`via ${agent}`]),
        ...(expires === undefined ? [] : [`until ${expires}`]),
      ].join("  "),
    ),
  );
  await output.write(`${[...lines, formatCount(callers.length, "caller")].join("\n")}\n`);
  return exitCode.completed;
}

async function removeCaller(
  name: string,
  options: TokenOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { file, tokens } = await readCallers(options, io);
  if (!Object.hasOwn(tokens, name)) {
    const { safeValue } = await import("../render/text.ts");
    throw new UsageError(
      `There is no caller ${safeValue(name)}; \`toolweave token list\` lists them.`,
    );
  }
  const { writeConfigFile } = await import("./setup/config-file.ts");
  const { withJsonValue } = await import("./shared/json-file.ts");
  await writeConfigFile(file, withJsonValue(file.text ?? "", [...place, name], undefined), io);
  if (options.json === true) await printJson({ removed: name }, output);
  else output.printMessage(`toolweave: ${name} is no caller any more.`);
  return exitCode.completed;
}

async function printJson(value: JsonObject | object, output: Output): Promise<void> {
  const { formatJson } = await import("../render/json.ts");
  await output.write(formatJson(value as JsonObject, output, 0));
}
