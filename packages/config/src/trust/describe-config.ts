import { basename, join, resolve } from "node:path";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { canonicalJson, isObject } from "@toolweave/core/adapter";
import { configFolder, parseConfig } from "../reading/config-text.ts";
import { resolveReferences, type Resolved } from "../reading/references.ts";
import { decodeText, readRegularFile } from "../files/regular-file.ts";
import { maskDatabaseUrl } from "../store/database-url.ts";
import { isLeftOut } from "../servers/written-server.ts";
import { sha256, type ConfigPart, type ConfigPartKind } from "./config-part.ts";
import { listSettings } from "./list-settings.ts";
import { LocalFiles, unreadable } from "./local-files.ts";

/** All that a configuration would start, reach, read and import. */
export interface ConfigDescription {
  /** The absolute path of the file. */
  readonly path: string;
  /** The folder to which its paths are relative. */
  readonly folder: string;
  /** SHA-256 in hexadecimal of all parts: the same as long as none of them changes. */
  readonly digest: string;
  /** In the order of the file; first the file itself. */
  readonly parts: readonly ConfigPart[];
}

/**
 * Describes what a configuration would do, for a person's approval. Nothing is started, imported, requested or read
 * from the environment: only the file and the files that it names are read.
 *
 * The digest covers the content of: the file, modules of `tools`, prompts of agents, `envFile`s, OpenAPI documents that are files, files
 * below the folder that the command line of a program names (with those in the values of its `env`), packages in
 * `node_modules` that agents or command lines name, and of a `package.json` what decides what runs: its scripts, with
 * the files and packages that those name which a command line runs, but not its lists of dependencies. It does not cover
 * what these files load in turn, nor what an address answers.
 *
 * @param path of the file.
 * @throws ToolError `unavailable` for a file that cannot be read or is no regular file; `invalid_configuration` for one that is no
 * JSON, with line and column.
 */
export function describeConfig(path: string): ConfigDescription {
  const file = resolve(path);
  const folder = configFolder(file);
  let written: Buffer;
  try {
    written = readRegularFile(file);
  } catch (error) {
    throw unreadable(path, (error as NodeJS.ErrnoException).code, error);
  }
  const { value } = parseConfig(decodeText(written), path);
  const found = new Description(folder);
  found.add("file", basename(file), basename(file), sha256(written));
  if (isObject(value)) found.describe(value);
  const parts = found.parts();
  return { path: file, folder, digest: sha256(canonicalJson(parts as never)), parts };
}

const mcpBlocks = ["mcpServers", "servers", "mcp"] as const;

/** The parts of one configuration. Its shape has not been checked: what is no object is passed over. */
class Description {
  readonly #folder: string;
  readonly #files: LocalFiles;
  readonly #parts = new Map<string, ConfigPart>();
  readonly #variables = new Map<string, Set<string>>();
  /** The servers that are connected to. */
  readonly #servers = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = new LocalFiles(folder);
  }

  add(kind: ConfigPartKind, name: string, text: string, digest = sha256(text)): void {
    const key = `${kind} ${name}`;
    const { text: before } = this.#parts.get(key) ?? {};
    if (before === undefined || kind === "file") {
      this.#parts.set(key, { kind, name, text, digest });
    } else if (before !== text) {
      const both = `${before}, ${text}`;
      this.#parts.set(key, { kind, name, text: both, digest: sha256(both) });
    }
  }

  parts(): readonly ConfigPart[] {
    for (const [name, users] of this.#variables) {
      const text = `${name} (${[...users].join(", ")})`;
      this.add("variable", name, text);
    }
    // The part of an installed package has more details than its name.
    for (const part of this.#files.parts) this.#parts.set(`${part.kind} ${part.name}`, part);
    return [...this.#parts.values()];
  }

  describe(config: JsonObject): void {
    const own = readObjects(config["mcp"]);
    const isOff = (block: string, name: string): boolean => {
      const entry = readObjects(config[block]).get(name);
      const isServer = (mcpBlocks as readonly string[]).includes(block);
      return (
        (entry !== undefined && (isServer || block === "openapi") && isLeftOut(entry)) ||
        (isServer && own.get(name)?.["disabled"] === true)
      );
    };
    for (const block of mcpBlocks) {
      for (const [name, server] of readObjects(config[block])) {
        if (!isOff(block, name)) this.#server(name, server);
      }
    }
    for (const [name, options] of own) {
      // It counts in `mcp` only, and for a server that is used.
      if (options["trustAnnotations"] !== true || !this.#servers.has(name)) continue;
      this.add("policy", name, `what ${name} says of its own tools is trusted`);
    }
    for (const [name, document] of readObjects(config["openapi"])) {
      if (isLeftOut(document)) continue;
      this.#texts(name, document);
      this.#file("document", document["file"]);
    }
    this.#workspace(config["workspace"]);
    this.#builtin(config["builtin"]);
    this.#markdown(config);
    const { tools } = config;
    this.#texts("tools", tools);
    for (const module of Array.isArray(tools) ? tools : []) this.#file("module", module);
    this.#scripts("tool", tools);
    this.#scripts("hook", config["hooks"]);
    this.#serve(config["serve"]);
    for (const [name, agent] of readObjects(config["agents"])) this.#agent(name, agent);
    if (config["policy"] !== undefined) {
      this.#texts("policy", config["policy"]);
      this.add("policy", "policy", JSON.stringify(config["policy"]));
    }
    if (typeof config["store"] === "string") {
      this.#texts("store", config["store"]);
      this.add("store", "store", maskDatabaseUrl(config["store"]));
    }
    for (const { name, value } of listSettings(config, (block, name) => !isOff(block, name))) {
      this.add("setting", name, JSON.stringify(value), sha256(canonicalJson(value)));
    }
  }

  /** Tools and hooks whose scripts are in the configuration. */
  #scripts(what: string, entries: JsonValue | undefined): void {
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      if (!isObject(entry as JsonValue)) continue;
      const { name = `${index + 1}`, ...rest } = entry as JsonObject;
      const text = `${what} ${String(name)}: ${JSON.stringify(rest)}`;
      this.add("script", `${what} ${index + 1}`, text);
    }
  }

  /** The variables whose values are tokens and secrets of the approvals. */
  #serve(serve: JsonValue | undefined): void {
    this.#texts("serve", serve);
    const approvals = isObject(serve) ? serve["approvals"] : undefined;
    if (!isObject(approvals)) return;
    const { api, webhook } = approvals;
    const people = isObject(api) ? { approver: api["approvers"], reader: api["readers"] } : {};
    for (const [role, variables] of Object.entries(people)) {
      if (!isObject(variables)) continue;
      for (const [name, variable] of Object.entries(variables)) {
        this.#variable(variable as JsonValue, `the token of the ${role} ${name}`);
      }
    }
    for (const variable of isObject(webhook) && Array.isArray(webhook["secrets"])
      ? webhook["secrets"]
      : [])
      this.#variable(variable as JsonValue, "a secret of the webhook");
  }

  #variable(name: JsonValue | undefined, user: string): void {
    if (typeof name !== "string") return;
    const users = this.#variables.get(name) ?? new Set();
    this.#variables.set(name, users.add(user));
  }

  #server(name: string, server: JsonObject): void {
    this.#texts(name, server);
    const { command, args, cwd, env } = server;
    if (placeKeys.some((key) => typeof server[key] === "string")) this.#servers.add(name);
    this.#file("envFile", server["envFile"]);
    if (typeof command !== "string") return;
    const words = [command, ...(Array.isArray(args) ? args : [])].filter(isString);
    const values = isObject(env) ? Object.values(env).filter(isString) : [];
    const place = typeof cwd === "string" ? cwd : "";
    const set = isObject(env) && Object.keys(env).length > 0 ? Object.keys(env) : undefined;
    const details = [
      ...(place === "" ? [] : [`in ${place}`]),
      ...(set === undefined ? [] : [`sets ${set.join(", ")}`]),
    ];
    const line = words.map(quoted).join(" ");
    const text = `${line}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
    this.add("program", name, text, sha256(canonicalJson({ words, place, env: env ?? null })));
    const plain = (word: string): string => this.#resolved(word).text;
    const folder = resolve(this.#folder, plain(place));
    this.#files.addNamedBy([...words, ...values].map(plain), folder);
    if (folder !== this.#folder) this.#files.addNamedBy(words.map(plain), this.#folder);
  }

  #markdown({ markdown, hooks, skills }: JsonObject): void {
    this.#texts("skills", skills ?? null);
    for (const folder of Array.isArray(skills) ? skills.filter(isString) : [])
      this.add("markdown", folder, `${folder}; models read its skills`);
    this.#texts("markdown", markdown ?? null);
    this.#texts("hooks", hooks ?? null);
    if (markdown !== undefined && markdown !== false) {
      const folder = isObject(markdown) ? markdown["folder"] : undefined;
      const where = typeof folder === "string" ? folder : ".";
      const env = isObject(markdown) ? markdown["env"] : undefined;
      for (const name of Array.isArray(env) ? env : [])
        this.#variable(name as JsonValue, "markdown");
      const folders = [".toolweave/", ".harness/"].map((one) => join(where, one)).join(" and ");
      this.add("markdown", where, `${folders}; their hooks see every call`);
    }
  }

  #workspace(workspace: JsonValue | undefined): void {
    if (!isObject(workspace)) return;
    this.#texts("workspace", workspace);
    const { root, readOnly, sandbox } = workspace;
    const use =
      readOnly === true
        ? "its files are read"
        : `its files are read and written, and commands run there (sandbox: ${JSON.stringify(sandbox ?? "auto")})`;
    const text = `${typeof root === "string" ? root : "."}: ${use}`;
    this.add("workspace", "workspace", text, sha256(canonicalJson(workspace)));
  }

  #builtin(builtin: JsonValue | undefined): void {
    if (!isObject(builtin)) return;
    for (const [name, group] of Object.entries(builtin)) {
      if (group === false) continue;
      this.#texts(`builtin ${name}`, group);
      const text = isObject(group) ? `${name} ${JSON.stringify(group)}` : name;
      this.add("builtin", name, text, sha256(canonicalJson(group)));
    }
  }

  #agent(name: string, agent: JsonObject): void {
    this.#texts(name, agent);
    const { system, model } = agent;
    if (isObject(system)) this.#file("prompt", system["file"]);
    const provider = findProvider(model);
    if (provider === undefined) return;
    this.add("package", provider, provider);
    this.#files.addPackage(provider, this.#folder);
  }

  #file(kind: ConfigPartKind, path: JsonValue | undefined): void {
    if (typeof path !== "string") return;
    this.#files.add(kind, resolve(this.#folder, this.#resolved(path).text));
  }

  /** With the places put in, and the defaults: nothing is read from the environment. */
  #resolved(text: string): Resolved {
    return resolveReferences(text, { env: {}, folder: this.#folder, inputs: new Map() });
  }

  /** The variables and the addresses in the texts of a part. */
  #texts(user: string, value: JsonValue | undefined, key = ""): void {
    if (typeof value === "string") {
      for (const name of this.#resolved(value).variables) this.#variable(name, user);
      if (/^https?:\/\//i.test(value) || addressKeys.has(key)) this.add("url", user, value);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        this.#texts(user, member as JsonValue, name);
      }
    }
  }
}

const addressKeys: ReadonlySet<string> = new Set([
  "url",
  "serverUrl",
  "httpUrl",
  "baseUrl",
  "baseURL",
]);

/** The keys that determine how a server is reached; without one there are only further options of it. */
const placeKeys = ["command", "url", "serverUrl", "httpUrl"] as const;

/** The package that an agent's model is of. */
function findProvider(model: JsonValue | undefined): string | undefined {
  if (typeof model === "string") {
    const [, provider] = /^([a-z\d][\w-]*)\//.exec(model) ?? [];
    return provider === undefined ? undefined : `@ai-sdk/${provider}`;
  }
  if (!isObject(model)) return undefined;
  const { provider } = model;
  return typeof provider === "string" ? provider : "@ai-sdk/openai-compatible";
}

function readObjects(block: JsonValue | undefined): ReadonlyMap<string, JsonObject> {
  if (!isObject(block)) return new Map();
  return new Map(
    Object.entries(block).flatMap(([name, value]) =>
      isObject(value as JsonValue) ? [[name, value as JsonObject]] : [],
    ),
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}~-]+$/.test(word) ? word : JSON.stringify(word);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
