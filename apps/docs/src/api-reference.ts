import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Application, type ProjectReflection } from "typedoc";
import { findAnchors } from "../../../scripts/lib/markdown-links.ts";
import { publicEntries, type PublicEntry } from "../../../scripts/lib/workspace.ts";

/** A public entry with its page of the API reference. */
export interface ReferenceEntry extends PublicEntry {
  /** The page, relative to the root of the site. */
  readonly path: string;
}

/** The entries that have a page. The command line exports nothing and is left out. */
export function referenceEntries(root: string): ReferenceEntry[] {
  return publicEntries(root)
    .filter(({ name }) => name.startsWith("@"))
    .map((entry) => ({ ...entry, path: `api/${entry.name}.md` }));
}

/** Writes a page for every public entry into `folder`/api, from the declarations that the packages publish. */
export async function writeApiReference(root: string, folder: string): Promise<ReferenceEntry[]> {
  const entries = referenceEntries(root);
  const missing = entries.find(({ declarations }) => !existsSync(declarations));
  if (missing !== undefined) {
    throw new Error(
      `${missing.declarations} does not exist: build the packages first, with "turbo run build"`,
    );
  }
  const tsconfig = join(folder, "tsconfig.api.json");
  writeFileSync(
    tsconfig,
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        lib: ["es2023", "esnext.disposable"],
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      },
      files: entries.map(({ declarations }) => declarations),
    }),
  );
  const options = {
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: entries.map(({ declarations }) => declarations),
    tsconfig,
    out: join(folder, "api"),
    readme: "none",
    disableSources: true,
    excludeExternals: true,
    logLevel: "Warn",
    router: "module",
    outputFileStrategy: "modules",
    entryFileName: "index",
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    expandObjects: false,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    propertyMembersFormat: "table",
    typeDeclarationFormat: "table",
    enumMembersFormat: "table",
    pageTitleTemplates: {
      index: () => "API reference",
      module: ({ rawName }: { rawName: string }) => rawName,
    },
  };
  // The options of the Markdown plugin are not in the type of TypeDoc's.
  const app = await Application.bootstrapWithPlugins(options as object);
  const project = await app.convert();
  if (project === undefined) throw new Error("TypeDoc could not read the declarations");
  nameModules(project, root, entries);
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error("TypeDoc reported errors");
  repairAnchors(entries, folder);
  return entries;
}

/** Gives each module the name by which programs import it; TypeDoc names it after its file. */
function nameModules(
  project: ProjectReflection,
  root: string,
  entries: readonly ReferenceEntry[],
): void {
  for (const module of project.children ?? []) {
    const entry = entries.find(({ declarations }) => {
      const path = declarations.slice(root.length + 1).replace(/(?:\/index)?\.d\.ts$/, "");
      return path.endsWith(module.name);
    });
    if (entry === undefined) throw new Error(`TypeDoc has the unknown module ${module.name}`);
    module.name = entry.name;
  }
}

/** TypeDoc numbers an anchor if a name and its member spell an earlier one, which the site does not. */
function repairAnchors(entries: readonly ReferenceEntry[], folder: string): void {
  const pages = new Map(
    entries.map(({ path }) => [join(folder, path), readFileSync(join(folder, path), "utf8")]),
  );
  const anchors = new Map(Array.from(pages, ([path, text]) => [path, findAnchors(text)]));
  for (const [path, text] of pages) {
    const repaired = text.replaceAll(
      /\]\(([^)#\s]*)#([^)\s]+)-\d+\)/g,
      (link, target: string, anchor: string) => {
        const known = anchors.get(target === "" ? path : resolve(dirname(path), target));
        return known?.has(/#(.*)\)/.exec(link)![1]!) === false ? `](${target}#${anchor})` : link;
      },
    );
    writeFileSync(path, repaired);
  }
}
