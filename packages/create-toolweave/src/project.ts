import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The templates, with what each one contains. */
export const templates = {
  function: "tools of your own functions",
  openapi: "tools of an OpenAPI document",
  agent: "an agent whose calls a person approves",
} as const;

/** The name of a template. */
export type Template = keyof typeof templates;

/** Returns true for the name of a template. */
export function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}

/**
 * Copies a template to a folder, with the folder's name and with this version of the packages of Toolweave.
 *
 * @param version the version that the project needs, such as `1.2.3`: it gets `^1.2.3`.
 * @throws Error if the folder is not empty.
 */
export function createProject(folder: string, template: Template, version: string): void {
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== ".git")) {
    throw new Error(`${folder} is not empty: choose a new or empty folder.`);
  }
  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(new URL(`../templates/${template}`, import.meta.url)), folder, {
    recursive: true,
  });
  // npm publishes no file of this name.
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  const path = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies)) {
    if (name.startsWith("@toolweave/")) manifest.dependencies[name] = `^${version}`;
  }
  const project = { ...manifest, name: packageName(basename(folder)) };
  writeFileSync(path, `${JSON.stringify(project, null, 2)}\n`);
}

/** A folder's name as the name of a package. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return name === "" ? "toolweave-app" : name;
}
