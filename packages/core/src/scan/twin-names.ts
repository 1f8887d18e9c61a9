/**
 * Letters of other scripts that look like Latin ones, except those that NFKC normalizes to Latin (full width, bold).
 */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    ["аɑα", "a"],
    ["ЬƄ", "b"],
    ["сϲ", "c"],
    ["ԁ", "d"],
    ["её", "e"],
    ["ɡ", "g"],
    ["һ", "h"],
    ["іıɩι", "i"],
    ["ј", "j"],
    ["κк", "k"],
    ["ӏ", "l"],
    ["м", "m"],
    ["п", "n"],
    ["оοօ", "o"],
    ["рρ", "p"],
    ["ԛ", "q"],
    ["г", "r"],
    ["ѕ", "s"],
    ["τт", "t"],
    ["υս", "u"],
    ["ν", "v"],
    ["ԝω", "w"],
    ["хχ", "x"],
    ["уγ", "y"],
    ["АΑ", "A"],
    ["ВΒ", "B"],
    ["СϹ", "C"],
    ["ЕΕ", "E"],
    ["НΗ", "H"],
    ["ІΙӀ", "I"],
    ["Ј", "J"],
    ["КΚ", "K"],
    ["МΜ", "M"],
    ["Ν", "N"],
    ["ОΟ", "O"],
    ["РΡ", "P"],
    ["Ѕ", "S"],
    ["ТΤ", "T"],
    ["ХΧ", "X"],
    ["УΥ", "Y"],
    ["Ζ", "Z"],
  ].flatMap(([letters = "", latin = ""]) =>
    Array.from(letters, (letter): [string, string] => [letter, latin]),
  ),
);

/**
 * Names of a list that a reader takes for one another: they differ by case, by `I`, `l` and `1`, by `O` and `0`, or by
 * letters of other scripts that look the same. Grows with the length of the names and no faster.
 *
 * @returns groups of two or more, each name once, in the order of the list.
 * @example
 * ```js
 * console.log(twinNames(["read_file", "read_fiIe", "send"])); // [ [ 'read_file', 'read_fiIe' ] ]
 * ```
 */
export function twinNames(names: Iterable<string>): readonly (readonly string[])[] {
  const all = [...new Set(names)];
  const groups = new Map<string, string[]>();
  for (const name of all) {
    const latin = latinName(name);
    // Seen in one case, and as a font without serifs draws it.
    const drawn = latin.replace(/[I1|]/g, "l").replaceAll("0", "O").toLowerCase();
    for (const key of new Set([`case ${latin.toLowerCase()}`, `drawn ${drawn}`])) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [name]);
      else group.push(name);
    }
  }
  const reported = new Set<string>();
  return [...groups.values()].filter((group) => {
    if (group.length < 2) return false;
    const key = group.join("\n");
    return !reported.has(key) && reported.add(key) !== undefined;
  });
}

function latinName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is what needs nothing
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  return Array.from(name.normalize("NFKC"), (letter) => lookalikes.get(letter) ?? letter).join("");
}
