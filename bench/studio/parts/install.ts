import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pageFolder } from "../consoles/studio.ts";
import { atMost, formatMb, type Row } from "../report.ts";

const root = join(import.meta.dirname, "../../..");
const store = join(import.meta.dirname, "../node_modules/.pnpm");

/** The bytes of files and the packages that the consoles add to an install. */
export function measureInstall(): readonly Row[] {
  const page = sizeFolder(pageFolder);
  const added = findAddedPackages();
  const packages = findInspectorPackages();
  const inspector = packages.reduce((sum, folder) => sum + sizeFolder(folder), 0);
  return [
    {
      what: "size that is added to an install",
      inspector: formatMb(inspector),
      studio: formatMb(page),
      goal: atMost(page / 1e6, 0.7, "MB"),
    },
    {
      what: "packages that are added to an install",
      inspector: String(packages.length),
      studio: String(added.length),
      goal: atMost(added.length, 0, ""),
    },
  ];
}

/** The bytes of all files in a folder. */
function sizeFolder(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += lstatSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}

/** The dependencies of the command that only the page has brought: those which the page depends on. */
function findAddedPackages(): readonly string[] {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as {
      readonly dependencies?: Readonly<Record<string, string>>;
      readonly devDependencies?: Readonly<Record<string, string>>;
    };
  const page = read("apps/studio");
  const ofPage = Object.keys({ ...page.dependencies, ...page.devDependencies });
  const isOfPage = (name: string): boolean =>
    name === "@toolweave/studio" || (ofPage.includes(name) && !name.startsWith("@toolweave/"));
  return Object.keys(read("apps/cli").dependencies ?? {}).filter(isOfPage);
}

/** The folders of MCP Inspector and everything that it depends on: all packages here but those of the benchmark. */
function findInspectorPackages(): readonly string[] {
  const found: string[] = [];
  for (const entry of readdirSync(store)) {
    if (entry.startsWith("playwright-core@") || entry === "node_modules") continue;
    const modules = join(store, entry, "node_modules");
    for (const folder of listPackages(modules)) found.push(folder);
  }
  if (found.length < 2) throw new Error("MCP Inspector is not installed");
  return found;
}

/** The packages in a folder of modules; links lead to packages of other folders. */
function listPackages(modules: string): readonly string[] {
  const folders = (path: string) => {
    try {
      return readdirSync(path, { withFileTypes: true }).filter((each) => each.isDirectory());
    } catch {
      return [];
    }
  };
  return folders(modules).flatMap(({ name }) =>
    name.startsWith("@")
      ? folders(join(modules, name)).map((scoped) => join(modules, name, scoped.name))
      : name.startsWith(".")
        ? []
        : [join(modules, name)],
  );
}
