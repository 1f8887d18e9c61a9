import { spawnSync } from "node:child_process";

/** Programs that are used most, as far as they do not run until they are stopped. */
export const usualPrograms: readonly string[] =
  `cat ls head tail wc sort uniq cut tr paste join comm grep egrep sed
  find diff cmp date file stat du df cp mv ln install rm rmdir mkdir touch tee chmod chown split shuf tar gzip gunzip
  bzip2 xz base64 sha256sum md5sum od nl fold expand basename dirname realpath readlink seq xxd zip unzip tree rg jq
  truncate dd awk`
    .trim()
    .split(/\s+/);

const operands = [
  "a",
  "b.txt",
  "d",
  "d/x",
  "link",
  "out",
  "out/o",
  "../outside/o",
  "../outside/n",
  "new",
  "d/new",
];
const values = [...operands, "1", "2", "x", "=", ".bak", "10", "id", "0"];
const sedScripts = [
  "p",
  "s/a/b/",
  "s/a/b/w new",
  "1w d/new",
  "w out/n",
  "/l/d",
  "$p;w new",
  "s/[^/]*$//",
  "1e id",
  "y/abc/xyz/",
];

/** An option in the help text of a program: the word, and whether a value follows. */
export interface OwnOption {
  readonly word: string;
  readonly takesValue: boolean;
}

/** Options that make a program wait, or that end it at once. */
const without = /^(?:-[fF]|--(?:follow|retry|help|version|pid|interactive))$/;

/** The options in the help text of an installed program; undefined: it is not installed. */
export function ownOptions(program: string): readonly OwnOption[] | undefined {
  const { stdout, stderr, error } = spawnSync(program, ["--help"], { input: "", encoding: "utf8" });
  if (error !== undefined) return undefined;
  const found = new Map<string, OwnOption>();
  const text = `${stdout}\n${stderr}`;
  for (const [, word = "", value] of text.matchAll(
    /(?<![\w-])(--?[A-Za-z0-9][\w-]*)(\[?=| [A-Z]{2,}|=)?/g,
  )) {
    if (!word.startsWith("--") && word.length > 2) continue;
    if (program === "tail" && without.test(word)) continue;
    if (/^--(?:help|version)$/.test(word)) continue;
    found.set(word, { word, takesValue: value !== undefined });
  }
  return [...found.values()];
}

/** A command line of a program with options of its own, in all the ways in which they can be written. */
export function randomCommand(
  program: string,
  options: readonly OwnOption[],
  random: () => number,
): readonly string[] {
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const words: string[] = [];
  const letters = options.filter(({ word }) => word.length === 2);
  const count = Math.floor(random() * 4);
  for (let index = 0; index < count && options.length > 0; index++) {
    const { word, takesValue } = pick(options);
    if (word.startsWith("--")) {
      const name =
        random() < 0.3 ? word.slice(0, 3 + Math.floor(random() * (word.length - 2))) : word;
      if (takesValue || random() < 0.2) {
        if (random() < 0.6) words.push(`${name}=${pick(values)}`);
        else words.push(name, pick(values));
      } else words.push(name);
      continue;
    }
    const cluster = random() < 0.4 && letters.length > 0 ? pick(letters).word.slice(1) : "";
    const attached = random() < 0.4 ? pick(values) : "";
    words.push(`-${cluster}${word.slice(1)}${attached}`);
    if (attached === "" && random() < 0.4) words.push(pick(values));
  }
  if (program === "sed" && random() < 0.8)
    words.push(...(random() < 0.5 ? ["-e"] : []), pick(sedScripts));
  if (/^(?:grep|egrep|rg|tr|jq|awk)$/.test(program)) words.push(pick(["l", "."]));
  if (program.startsWith("ch")) words.push(pick(["600", "-w", "u+x", "root"]));
  if (program === "tar" && random() < 0.6)
    words.unshift(pick(["cf", "-cf", "tf", "xf", "-czf", "-rf", "cfC"]), pick(operands));
  const files = Math.floor(random() * 4);
  for (let index = 0; index < files; index++) {
    // GNU programs read options behind operands too.
    const at = random() < 0.2 ? Math.floor(random() * (words.length + 1)) : words.length;
    words.splice(at, 0, pick(operands));
  }
  return [program, ...words];
}
