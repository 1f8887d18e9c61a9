import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The fields of a package.json that the checks read. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly sideEffects?: boolean;
  readonly files?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** One package of the workspace. */
export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the root, with `/`. */
  readonly folder: string;
  readonly manifest: PackageManifest;
  /** Not marked `private`. */
  readonly publishable: boolean;
}

/** The folder patterns under `packages:` in pnpm-workspace.yaml. */
function workspacePatterns(root: string): string[] {
  const lines = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").split("\n");
  const patterns: string[] = [];
  for (const line of lines.slice(lines.indexOf("packages:") + 1)) {
    const item = /^\s+- ["']?([^"'\s]+)["']?\s*$/.exec(line);
    if (item?.[1] === undefined) break;
    patterns.push(item[1]);
  }
  return patterns;
}

function listFolders(root: string, pattern: string): string[] {
  if (!pattern.endsWith("/*")) return [pattern];
  const parent = pattern.slice(0, -2);
  if (!existsSync(join(root, parent))) return [];
  return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
}

/** Every package of the workspace except the root, in the order of their folders. */
export function workspacePackages(root: string): WorkspacePackage[] {
  return workspacePatterns(root)
    .flatMap((pattern) => listFolders(root, pattern))
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .sort()
    .map((folder) => {
      const text = readFileSync(join(root, folder, "package.json"), "utf8");
      const manifest = JSON.parse(text) as PackageManifest;
      return { name: manifest.name, folder, manifest, publishable: manifest.private !== true };
    });
}

/** An entry of a published package: a module that programs import. */
export interface PublicEntry {
  /** Such as `@toolweave/core/adapter`. */
  readonly name: string;
  /** The name of its package. */
  readonly package: string;
  /** The declarations that the build emits, as an absolute path. */
  readonly declarations: string;
}

/** The entries of all published packages, in the order of their names. */
export function publicEntries(root: string): PublicEntry[] {
  return workspacePackages(root)
    .filter(({ publishable }) => publishable)
    .flatMap(({ name, folder, manifest }) =>
      Object.entries(manifest.exports ?? {}).flatMap(([key, target]) => {
        if (typeof target === "string" || target["types"] === undefined) return [];
        const declarations = join(root, folder, target["types"]);
        return { name: name + key.slice(1), package: name, declarations };
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names that a node_modules folder holds, with their scopes. */
export function installedNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`)
        : [name],
    );
}
