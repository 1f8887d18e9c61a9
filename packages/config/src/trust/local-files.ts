import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { createHash } from "node:crypto";
import { ToolError, type JsonObject } from "@toolweave/core";
import { canonicalJson, isObject } from "@toolweave/core/adapter";
import { readRegularFile } from "../files/regular-file.ts";
import { sha256, type ConfigPart, type ConfigPartKind } from "./config-part.ts";

const maxFiles = 5_000;
const maxPackageBytes = 134_217_728;

/** Gathers the files of a folder that decide what a configuration does, each once. */
export class LocalFiles {
  readonly folder: string;
  readonly #parts = new Map<string, ConfigPart>();
  /** The scripts whose lines have been read. */
  readonly #scripts = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  get parts(): readonly ConfigPart[] {
    return [...this.#parts.values()];
  }

  /**
   * Adds a file that the configuration names. One that is missing is a part, too: it may come.
   *
   * @throws ToolError `unavailable` for what is there and is no regular file, or is too large.
   */
  add(kind: ConfigPartKind, path: string): void {
    const name = this.#toRelativeName(path);
    let digest: string;
    try {
      digest = sha256(readRegularFile(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw unreadable(path, code, error);
      digest = sha256("");
    }
    this.#parts.set(`${kind} ${name}`, { kind, name, text: name, digest });
  }

  /**
   * Adds what the words of a command line name: the program, and files below the folder that hold code or say what
   * runs, the `package.json` of a folder below it, and packages in a `node_modules` folder, which runners such as `npx`
   * prefer to the registry's. Other files are data, which the program itself may change.
   *
   * @param cwd where the program runs.
   */
  addNamedBy(words: readonly string[], cwd: string): void {
    const [program = ""] = words;
    const installs = words.some((word) => installers.test(word));
    for (const word of words.flatMap(pathsIn)) {
      const path = resolve(cwd, word);
      const kind = this.#isInside(path) ? getKind(path) : undefined;
      if (kind === "file" && (word === program || decidesWhatRuns(path))) this.add("module", path);
      if (kind === "folder") this.#addManifest(path, installs);
      if (isPackageName(word)) this.addPackage(word, cwd);
    }
    if (!words.some((word) => runners.test(word))) return;
    this.#addManifest(cwd, installs);
    for (const word of words) this.#addScript(word, cwd);
  }

  /** Adds what a script of the `package.json` names, and those that run before and after it. */
  #addScript(name: string, cwd: string): void {
    const { scripts } = readManifest(cwd);
    for (const script of [`pre${name}`, name, `post${name}`]) {
      const line = scripts[script];
      const key = `${cwd}\0${script}`;
      if (typeof line !== "string" || this.#scripts.has(key)) continue;
      this.#scripts.add(key);
      this.addNamedBy(line.split(/[\s;&|()"']+/).filter(Boolean), cwd);
    }
  }

  /** Adds the package of a name, where `folder` has one: all its files, without the packages in it. */
  addPackage(name: string, folder: string): void {
    const plain = name.replace(/(.)@[^/]*$/, "$1");
    for (let at = folder; ; at = dirname(at)) {
      const path = join(at, "node_modules", plain);
      if (getKind(path) === "folder") {
        const { version } = readManifest(path);
        const compared = packageDigest(path);
        const digest = compared ?? sha256(readManifest(path).text);
        const note =
          compared === undefined ? " (too large: only its package.json is compared)" : "";
        const named = `${plain}${version === undefined ? "" : `@${version}`}`;
        const text = `${named} in ${this.#toRelativeName(path)}${note}`;
        this.#parts.set(`package ${plain}`, { kind: "package", name: plain, text, digest });
        return;
      }
      const program = join(at, "node_modules", ".bin", plain);
      if (getKind(program) === "file") this.add("module", program);
      if (dirname(at) === at) return;
    }
  }

  /** @param installs the program installs what is missing, so that the lists of dependencies decide, too. */
  #addManifest(folder: string, installs: boolean): void {
    const path = join(folder, "package.json");
    if (getKind(path) !== "file") return;
    const { members } = readManifest(folder);
    // One that cannot be read as such counts as it is.
    if (installs || members === noMembers) return this.add("module", path);
    const name = this.#toRelativeName(path);
    if (this.#parts.has(`module ${name}`)) return;
    const decisive = Object.entries(members).filter(([key]) => !inertMembers.test(key));
    const digest = sha256(canonicalJson(Object.fromEntries(decisive)));
    this.#parts.set(`module ${name}`, { kind: "module", name, text: name, digest });
  }

  #isInside(path: string): boolean {
    return path === this.folder || path.startsWith(this.folder + sep);
  }

  #toRelativeName(path: string): string {
    return relative(this.folder, path) || ".";
  }
}

/** Programs that install what a `package.json` lists before they run something. */
const installers = /(?:^|[/\\])bunx?(?:\.cmd|\.exe)?$/i;

/** Members of a `package.json` that installing changes, and that decide what is installed, or are for people. */
const inertMembers =
  /^(?:_.*|version|description|keywords|homepage|bugs|license|author|contributors|maintainers|funding|repository|(?:dev|optional|peer|bundled?)?[dD]ependencies|peerDependenciesMeta|overrides|resolutions)$/;

/** Programs that look up in a `package.json` what they run. */
const runners = /(?:^|[/\\])(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)(?:\.cmd|\.exe)?$/i;

/** The parts of a word that may be paths: `--import=./a.js`, `--require ./a.js` in one, `a.js:b.js`. */
function pathsIn(word: string): string[] {
  return [word, ...word.split(/[\s=:,;]+/)].filter((path) => path !== "" && path.length < 4_096);
}

function isPackageName(word: string): boolean {
  return /^(?:@[a-z\d~-][\w.~-]*\/)?[a-z\d~][\w.~-]*(?:@[^/\s]*)?$/i.test(word);
}

/** By its name or its mode; data such as a database or notes has neither. */
function decidesWhatRuns(path: string): boolean {
  if (codeName.test(path)) return true;
  return process.platform !== "win32" && (statSync(path).mode & 0o111) !== 0;
}

const codeName =
  /(?:^|[/\\])(?:Dockerfile|Justfile|Makefile|Procfile|Rakefile)$|\.(?:[cm]?[jt]sx?|bat|class|cmd|dll|dylib|exe|jar|lua|node|php|pl|ps1|py[cwz]?|rb|sh|bash|zsh|so|toml|wasm|ya?ml)$/i;

function getKind(path: string): "file" | "folder" | undefined {
  try {
    const stat = statSync(path);
    return stat.isDirectory() ? "folder" : "file";
  } catch {
    return undefined;
  }
}

/** A `package.json`, as far as it can be read. */
interface Manifest {
  readonly text: string;
  readonly members: JsonObject;
  readonly version?: string;
  readonly scripts: JsonObject;
}

const noMembers: JsonObject = {};

function readManifest(folder: string): Manifest {
  let text = "";
  try {
    text = readRegularFile(join(folder, "package.json")).toString();
    const members: unknown = JSON.parse(text);
    if (!isObject(members)) return { text, members: noMembers, scripts: noMembers };
    const { version, scripts } = members;
    return {
      text,
      members,
      scripts: isObject(scripts) ? scripts : noMembers,
      ...(typeof version === "string" ? { version: version.slice(0, 40) } : {}),
    };
  } catch {
    return { text, members: noMembers, scripts: noMembers };
  }
}

/** The content of a file of a package that counts: what old versions of npm note in its `package.json` does not. */
function toContent(file: string, root: string): string | Buffer {
  if (file !== join(root, "package.json")) return readRegularFile(file);
  const { members } = readManifest(root);
  if (members === noMembers) return readRegularFile(file);
  const own = Object.entries(members).filter(([key]) => !key.startsWith("_"));
  return canonicalJson(Object.fromEntries(own));
}

/** The digest of all files of a package, without the packages in it; undefined: they are too many, or too large. */
function packageDigest(folder: string): string | undefined {
  const root = realpathSync(folder);
  const hash = createHash("sha256");
  const folders = [root];
  let files = 0;
  let bytes = 0;
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    for (const name of readdirSync(path).sort()) {
      const file = join(path, name);
      const stat = lstatSync(file);
      files += 1;
      bytes += stat.isFile() ? stat.size : 0;
      if (files > maxFiles || bytes > maxPackageBytes) return undefined;
      if (stat.isDirectory() && name !== "node_modules") folders.push(file);
      if (stat.isFile()) hash.update(`${relative(root, file)}\0${sha256(toContent(file, root))}\n`);
    }
  }
  return hash.digest("hex");
}

/** A file that exists and cannot be compared must not run. */
export function unreadable(path: string, code: string | undefined, cause: unknown): ToolError {
  return new ToolError("unavailable", `The file ${path} cannot be read (${code ?? "unknown"}).`, {
    cause,
    retryable: false,
  });
}
