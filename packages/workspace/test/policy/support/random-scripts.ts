/** Pseudo-random numbers from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Names of programs that do not exist. Those with an f fail. */
const programs = ["ta", "tb", "tc", "fa", "fb", "git", "rm", "ls", "node"];
const plainWords = [
  "a",
  "b1",
  "-x",
  "--long=v",
  "f.txt",
  "./p/q",
  "a,b",
  "a:b",
  "x=1",
  "%d",
  "@",
  "+",
  "^",
  "1",
  "é",
  "a#b",
  "--",
  "a=b=c",
  "{}",
  "!",
  "=",
  "{",
  "}",
  "[",
  "]",
  ":",
];
const quotedWords = [
  "'s q'",
  '"d q"',
  "''",
  '""',
  "'a'\"b\"c",
  "'$x'",
  "'`id`'",
  '"a\\"b"',
  '"\\$x"',
  '"a\\\\"',
  "a\\ b",
  "\\$x",
  "\\'",
  '\\"',
  "\\\\",
  "a\\\nb",
  "'a\nb'",
  '"a\nb"',
  '"a\\\nb"',
  "\\a",
  '"\\a"',
  "'\\'",
  "$'a\\nb'",
  '$"x"',
  "\\#",
  "\\~",
  '"~"',
  "'*'",
  "\\*",
  "a\\\\*",
  '"*"',
  "\\{a,b\\}",
  "'!'",
];
const activeWords = [
  "$x",
  "${x}",
  "$(ta)",
  "`tb`",
  '"$(tc)"',
  '"`ta`"',
  "$((1+1))",
  "*",
  "?",
  "[ab]",
  "~",
  "~/x",
  "a=~",
  "{a,b}",
  "{1..3}",
  "<(ta)",
  "$x$y",
  "a$b",
  '"$x"',
  "${x:-$(ta)}",
  "@(a|b)",
  "$'\\x41'",
  "a{b,c}d",
  "x=~/y",
  "a:~",
];
const separators = [
  " ; ",
  ";",
  "\n",
  " && ",
  " || ",
  " | ",
  "|&",
  " & ",
  "\n\n",
  ";\n",
  " &&\n",
  " |\n",
  "\\\n",
  "\t",
  " # c\n",
  "#",
  " #x",
];
const redirects = [
  ">o",
  "> o",
  ">>o",
  "<i",
  "2>&1",
  ">&2",
  "2>/dev/null",
  "&>o",
  "&>>o",
  ">|o",
  "<>o",
  "<<<w",
  "<<<'w w'",
  '<<<"$(ta)"',
  "3<&-",
  ">&o",
  "<<E\nx\nE\n",
  "<<'E'\n$(ta)\nE\n",
  "<<E\n$(ta)\nE\n",
  "<<-E\n\tx\n\tE\n",
  '<<"E"\n`tb`\nE\n',
  "{v}>o",
];

/** A random script, of which some parts are unusual. */
export function randomScript(random: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const chance = (probability: number): boolean => random() < probability;
  const word = (): string => {
    const kind = random();
    if (kind < 0.5) return pick(plainWords);
    return kind < 0.88 ? pick(quotedWords) : pick(activeWords);
  };
  const name = (): string => {
    const plain = pick(programs);
    if (!chance(0.12)) return plain;
    return pick([
      `'${plain}'`,
      `"${plain}"`,
      `\\${plain}`,
      `${plain[0]}'${plain.slice(1)}'`,
      `$(echo ${plain})`,
      `x=1 ${plain}`,
      `! ${plain}`,
      `time ${plain}`,
      `${plain}\\\n`,
    ]);
  };
  const command = (): string => {
    const parts = [name()];
    for (let count = Math.floor(random() * 4); count > 0; count--) parts.push(word());
    if (chance(0.2)) parts.splice(chance(0.2) ? 0 : parts.length, 0, pick(redirects));
    return parts.join(chance(0.05) ? "  " : " ");
  };
  const group = (depth: number): string => {
    const kind = random();
    if (depth === 0 || kind < 0.75) return command();
    const inner = (): string => list(depth - 1);
    if (kind < 0.82) return `( ${inner()} )`;
    if (kind < 0.89) return `{ ${inner()}\n}`;
    if (kind < 0.95) return `if ${command()}; then ${inner()}\nelse ${inner()}\nfi`;
    if (kind < 0.97) return `while fa; do ${inner()}\ndone`;
    return pick([
      `for v in a b; do ${inner()}\ndone`,
      `ff() { ${inner()}\n}`,
      `case a in a) ${inner()}\n;; esac`,
      `[[ a == b ]]`,
      `(( 1 + 1 ))`,
    ]);
  };
  const list = (depth: number): string => {
    let text = group(depth);
    for (let count = Math.floor(random() * 3); count > 0; count--)
      text += pick(separators) + group(depth);
    return text;
  };
  const script = list(2);
  if (!chance(0.15)) return script;
  // Damage at a random place.
  const at = Math.floor(random() * script.length);
  const noise = pick([
    "'",
    '"',
    "\\",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    ";",
    "&",
    "|",
    "<",
    ">",
    "#",
    "\n",
    " ",
    "=",
    "~",
    "*",
    "!",
    "[",
    "]",
  ]);
  return chance(0.5)
    ? script.slice(0, at) + noise + script.slice(at)
    : script.slice(0, at) + script.slice(at + 1);
}
