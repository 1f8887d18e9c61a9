import { checkFile } from "@toolweave/markdown/authoring";
import { parse } from "@toolweave/starlark";
import { load, loadAll } from "js-yaml";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkedSnippets, root, type Snippet } from "./pages.ts";

const named = (snippets: readonly Snippet[]) => snippets.map((one) => [one.place, one] as const);

const frontMatter = /^---\n([^]*?)\n---/;

/** The faults of a markdown file: a hook has an event, and a bundle a type. */
function findFaults({ code, file, line }: Pick<Snippet, "code" | "file" | "line">): string[] {
  const values = load(frontMatter.exec(code)?.[1] ?? "") as Readonly<Record<string, unknown>>;
  const kind = "event" in values ? "hook" : "type" in values ? "bundle" : "tool";
  return checkFile("example.md", `${code}\n`, { kind }).findings.map(
    (finding) => `${file}:${line + finding.line}: ${finding.message}`,
  );
}

test.each(named(checkedSnippets("markdown", "md").filter(({ code }) => frontMatter.test(code))))(
  "the file of %s loads without a warning",
  (_place, snippet) => {
    expect(findFaults(snippet)).toEqual([]);
  },
);

/** Other files of the repository with a form that is known. */
const files = globSync(["deploy/*.yaml", ".github/workflows/*.yml"], { cwd: root }).map((file) => {
  const code = readFileSync(join(root, file), "utf8");
  return { file, line: 0, place: file, code, language: "yaml", marks: "" };
});

/** The faults of a block, or of a file. */
function findYamlFaults(snippet: Snippet): readonly string[] {
  const { code } = snippet;
  const schemas = Array.from(
    code.matchAll(/\$schema=\S*?(node_modules\/\S+)/g),
    ([, path = ""]) => path,
  ).filter((path) => !existsSync(join(root, "apps/cli", path)));
  if (schemas.length > 0) return schemas.map((path) => `${path} does not exist`);
  // The front matter of a file, which continues below it.
  if (frontMatter.test(code)) return findFaults({ ...snippet, code: `${code}\nDoes it.` });
  return loadAll(code).flatMap((document) => findFormFaults(document as Yaml));
}

test.each(named([...checkedSnippets("yaml", "yml"), ...files]))(
  "the YAML of %s is valid",
  (_place, snippet) => {
    expect(findYamlFaults(snippet)).toEqual([]);
  },
);

type Yaml = Readonly<Record<string, unknown>>;

/** The faults of a file of Docker Compose, or of a workflow of GitHub. */
function findFormFaults({ services, volumes = {}, networks = {}, on, jobs }: Yaml): string[] {
  const faults: string[] = [];
  for (const [name, service] of Object.entries((services ?? {}) as Record<string, Yaml>)) {
    if (service["image"] === undefined && service["build"] === undefined) {
      faults.push(`${name} has neither image nor build`);
    }
    const needs = [service["depends_on"] ?? []].flatMap((one) =>
      Array.isArray(one) ? (one as string[]) : Object.keys(one as object),
    );
    faults.push(
      ...needs.filter((one) => !Object.hasOwn(services as object, one)),
      ...((service["networks"] ?? []) as string[]).filter(
        (one) => !Object.hasOwn(networks as object, one),
      ),
      ...((service["volumes"] ?? []) as string[])
        .map((one) => one.split(":")[0] ?? "")
        .filter((one) => /^\w/.test(one) && !Object.hasOwn(volumes as object, one)),
    );
  }
  if (jobs === undefined) return faults;
  if (on === undefined) faults.push("a workflow needs on");
  for (const [name, job] of Object.entries(jobs as Record<string, Yaml>)) {
    if (job["uses"] === undefined && job["runs-on"] === undefined) {
      faults.push(`${name} has no runs-on`);
    }
    for (const step of (job["steps"] ?? []) as readonly Yaml[]) {
      if ((step["run"] === undefined) === (step["uses"] === undefined)) {
        faults.push(`a step of ${name} needs run or uses`);
      }
    }
  }
  return faults;
}

test.each(named(checkedSnippets("python", "starlark")))(
  "the script of %s is Starlark",
  (_place, { code }) => {
    expect(parse(code).problems).toEqual([]);
  },
);

test("a file with an unknown key, and one with a broken script, have faults", () => {
  const place = { file: "page.md", line: 10 };
  const unknown = "---\ntimeuot_ms: 5\nscript: |\n  def run(args):\n      return 1\n---\nDoes it.";
  expect(findFaults({ ...place, code: unknown })).toEqual([
    "page.md:12: the key timeuot_ms has no meaning here",
  ]);
  const broken = "---\nscript: |\n  def run(args):\n      try\n---\nDoes it.";
  expect(findFaults({ ...place, code: broken })).toHaveLength(1);
});

test("a service without an image, a volume that is not declared and an empty step are faults", () => {
  const service = { volumes: ["data:/data"], depends_on: ["other"] };
  expect(findFormFaults({ services: { web: service } })).toEqual([
    "web has neither image nor build",
    "other",
    "data",
  ]);
  expect(findFormFaults({ jobs: { test: { steps: [{ name: "nothing" }] } } })).toEqual([
    "a workflow needs on",
    "test has no runs-on",
    "a step of test needs run or uses",
  ]);
});
