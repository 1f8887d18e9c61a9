import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Read, Task } from "../task.ts";

const number = (n: number): string => String(n).padStart(2, "0");
const logNames = Array.from({ length: 8 }, (_, n) => `logs/app-${number(n + 1)}.log`);
const sourceNames = Array.from({ length: 10 }, (_, n) => `src/part-${number(n + 1)}.ts`);
const tableNames = Array.from({ length: 6 }, (_, n) => `sales/2026-${number(n + 1)}.csv`);
const manifestNames = Array.from({ length: 8 }, (_, n) => `packages/p${n + 1}/package.json`);

/** Writes the files of the tasks. */
export function writeFiles(root: string): void {
  const write = (name: string, text: string): void => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const [n, name] of logNames.entries()) {
    const lines = Array.from({ length: 60 }, (_, i) => {
      const level = (i * (n + 3)) % 11 === 0 ? "ERROR" : i % 9 === 0 ? "WARN" : "INFO";
      return `2026-11-0${n + 1}T10:${number(i)}:00Z ${level} request ${n * 100 + i} of /items/${i % 7} took ${(i * 13) % 90} ms`;
    });
    write(name, `${lines.join("\n")}\n`);
  }
  for (const [n, name] of sourceNames.entries()) {
    const lines = Array.from({ length: 40 }, (_, i) =>
      (i + n * 5) % 17 === 0
        ? `// TODO: check part ${n + 1}.${i}`
        : `export const value${i} = compute(${i}, "part ${n + 1}");`,
    );
    write(name, `${lines.join("\n")}\n`);
  }
  for (const [n, name] of tableNames.entries()) {
    const rows = Array.from(
      { length: 40 },
      (_, i) => `${i + 1},product ${i % 6},${(i * 7 + n) % 20},${100 + (i % 9)}`,
    );
    write(name, `id,product,count,price\n${rows.join("\n")}\n`);
  }
  for (const [n, name] of manifestNames.entries()) {
    const manifest = {
      name: `@app/p${n + 1}`,
      version: "1.4.0",
      description: `The part ${n + 1} of the app`,
      type: "module",
      scripts: { build: "tsc -b", test: "vitest run" },
      dependencies: n === 0 ? {} : { "@app/p1": "1.4.0" },
      license: "MIT",
    };
    write(name, `${JSON.stringify(manifest, null, 2)}\n`);
  }
  write("notes.md", "# Notes\n\nThe release is on Friday.\n");
}

const read = (value: Read): string => (typeof value === "string" ? value : value.content);

async function readAll(
  turn: Parameters<Task["plain"]>[0],
  names: readonly string[],
): Promise<string[]> {
  const texts = await turn(...names.map((path) => ["files__read_text_file", { path }] as const));
  return texts.map(read);
}

/** Tasks over the filesystem server of MCP. */
export const fileTasks: readonly Task[] = [
  {
    name: "errors by log",
    source: "files",
    prompt: "How many lines with ERROR does each file in logs have?",
    plain: async (turn) => {
      await turn(["files__list_directory", { path: "logs" }]);
      const texts = await readAll(turn, logNames);
      return Object.fromEntries(
        texts.map((text, n) => [
          logNames[n],
          text.split("\n").filter((line) => line.includes(" ERROR ")).length,
        ]),
      );
    },
    describe: ["files__list_directory", "files__read_text_file"],
    scripts: [
      `result = {}
for line in files.list_directory(path="logs")["content"].splitlines():
    path = "logs/" + line.split(" ")[1]
    result[path] = len([l for l in files.read_text_file(path=path)["content"].splitlines() if " ERROR " in l])`,
    ],
  },
  {
    name: "open tasks in the code",
    source: "files",
    prompt: "List every TODO in src as path:line.",
    plain: async (turn) => {
      await turn(["files__list_directory", { path: "src" }]);
      const texts = await readAll(turn, sourceNames);
      return texts.flatMap((text, n) =>
        text
          .split("\n")
          .flatMap((line, i) => (line.includes("TODO") ? [`${sourceNames[n]}:${i + 1}`] : [])),
      );
    },
    describe: ["files__list_directory", "files__read_text_file"],
    scripts: [
      `result = []
for line in files.list_directory(path="src")["content"].splitlines():
    path = "src/" + line.split(" ")[1]
    for i, l in enumerate(files.read_text_file(path=path)["content"].splitlines()):
        if "TODO" in l:
            result.append(f"{path}:{i + 1}")`,
    ],
  },
  {
    name: "a summary of six tables",
    source: "files",
    prompt:
      "Write sales/summary.csv with the revenue of each product over all tables in sales, and tell me the total.",
    plain: async (turn) => {
      await turn(["files__list_directory", { path: "sales" }]);
      const totals: Record<string, number> = {};
      for (const text of await readAll(turn, tableNames))
        for (const line of text.trim().split("\n").slice(1)) {
          const [, product = "", count, price] = line.split(",");
          totals[product] = (totals[product] ?? 0) + Number(count) * Number(price);
        }
      const lines = Object.keys(totals)
        .sort()
        .map((product) => `${product},${totals[product]}`);
      const content = `product,revenue\n${lines.join("\n")}\n`;
      await turn(["files__write_file", { path: "sales/summary.csv", content }]);
      return Object.values(totals).reduce((a, b) => a + b);
    },
    describe: ["files__list_directory", "files__read_text_file", "files__write_file"],
    scripts: [
      `totals = {}
for line in files.list_directory(path="sales")["content"].splitlines():
    name = line.split(" ")[1]
    if name == "summary.csv":
        continue
    for row in files.read_text_file(path="sales/" + name)["content"].splitlines()[1:]:
        _, product, count, price = row.split(",")
        totals[product] = totals.get(product, 0) + int(count) * int(price)
lines = [f"{p},{totals[p]}" for p in sorted(totals)]
files.write_file(path="sales/summary.csv", content="product,revenue\\n" + "\\n".join(lines) + "\\n")
sum(totals.values())`,
    ],
  },
  {
    name: "a new version of eight packages",
    source: "files",
    prompt:
      "Change the version 1.4.0 to 1.5.0 in each packages/*/package.json, also where a package depends on another. How many files are they?",
    plain: async (turn) => {
      await turn(["files__list_directory", { path: "packages" }]);
      const texts = await readAll(turn, manifestNames);
      await turn(
        ...texts.map((text, n) => {
          const edits = [`"version": "1.4.0"`, `"@app/p1": "1.4.0"`]
            .filter((old) => text.includes(old))
            .map((oldText) => ({ oldText, newText: oldText.replace("1.4.0", "1.5.0") }));
          return ["files__edit_file", { path: manifestNames[n] as string, edits }] as const;
        }),
      );
      return texts.length;
    },
    describe: ["files__list_directory", "files__read_text_file", "files__write_file"],
    scripts: [
      `n = 0
for line in files.list_directory(path="packages")["content"].splitlines():
    path = "packages/" + line.split(" ")[1] + "/package.json"
    text = files.read_text_file(path=path)["content"]
    files.write_file(path=path, content=text.replace('"1.4.0"', '"1.5.0"'))
    n += 1
n`,
    ],
  },
  {
    name: "the slowest request",
    source: "files",
    prompt:
      "Which request in all files of logs took longest, and how long? The first one, if there are several.",
    plain: async (turn) => {
      await turn(["files__list_directory", { path: "logs" }]);
      let best: [string, number] = ["", -1];
      for (const line of (await readAll(turn, logNames)).join("").trim().split("\n")) {
        const [, request = "", ms = ""] = /request (\d+) .* took (\d+) ms/.exec(line) ?? [];
        if (Number(ms) > best[1]) best = [request, Number(ms)];
      }
      return best;
    },
    describe: ["files__list_directory", "files__read_text_file"],
    scripts: [
      `best = ["", -1]
for line in files.list_directory(path="logs")["content"].splitlines():
    for l in files.read_text_file(path="logs/" + line.split(" ")[1])["content"].splitlines():
        words = l.split(" ")
        if int(words[-2]) > best[1]:
            best = [words[3], int(words[-2])]
best`,
    ],
  },
  {
    name: "one short file",
    source: "files",
    prompt: "When is the release, as notes.md says?",
    plain: async (turn) => {
      const [text = ""] = await readAll(turn, ["notes.md"]);
      return /on (\w+)\./.exec(text)?.[1] ?? "";
    },
    scripts: [`re.search("on (\\\\w+)\\\\.", files.read_text_file(path="notes.md")["content"])[1]`],
  },
];
