// A reader of the format of `apply_patch` that follows its grammar word for word, and compares lines exactly: the judge of
// the reader in `src`, which accepts more.

/** The texts of files by their paths. */
export type Tree = Readonly<Record<string, string>>;

interface Line {
  readonly text: string;
  readonly ending: string;
}

/** The lines of a text. Only a line feed ends one. */
export function splitText(text: string): Line[] {
  const lines: Line[] = [];
  for (const part of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, body = "", ending = ""] = /^([^]*?)(\r?\n|)$/.exec(part) ?? [];
    lines.push({ text: body, ending });
  }
  return lines;
}

/** The tree after a patch; undefined: the patch is not valid, or its lines are not in the files. */
export function applyReference(tree: Tree, patch: string): Tree | undefined {
  // Codex ignores empty lines before a mark of a file and before the end.
  const lines = patch.replace(/\n+(?=\n\*\*\*(?! End of File(?:\n|$)))/g, "").split("\n");
  if (lines.shift() !== "*** Begin Patch" || lines.pop() !== "*** End Patch") return undefined;
  const files: Record<string, string> = { ...tree };
  const named = new Set<string>();
  const updated = new Set<string>();
  const name = (path: string): boolean => !named.has(path) && Boolean(named.add(path));
  while (lines.length > 0) {
    const [, kind, path] =
      /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(lines.shift() ?? "") ?? [];
    if (path === undefined) return undefined;
    if (kind === "Update" && updated.has(path)) return undefined;
    if (!name(path)) return undefined;
    if (kind === "Delete") {
      if (files[path] === undefined) return undefined;
      delete files[path];
    } else if (kind === "Add") {
      // To write over a file, it has to be read before.
      if (files[path] !== undefined) return undefined;
      let text = "";
      while (lines[0]?.startsWith("+") === true) text += `${lines.shift()?.slice(1)}\n`;
      files[path] = text;
    } else {
      updated.add(path);
      const moveTo = /^\*\*\* Move to: (.+)$/.exec(lines[0] ?? "")?.[1];
      if (moveTo !== undefined) {
        lines.shift();
        if (!name(moveTo) || files[moveTo] !== undefined) return undefined;
      }
      const text = files[path];
      if (text === undefined) return undefined;
      const changed = applyChanges(text, lines, moveTo !== undefined);
      if (changed === undefined) return undefined;
      delete files[path];
      files[moveTo ?? path] = changed;
    }
  }
  return named.size === 0 ? undefined : files;
}

function applyChanges(text: string, lines: string[], mayBeEmpty: boolean): string | undefined {
  const old = splitText(text);
  const fresh: Line[] = [];
  let from = 0;
  let hunks = 0;
  while (lines[0] !== undefined && !lines[0].startsWith("***")) {
    let begin = from;
    while (/^@@(?: |$)/.test(lines[0] ?? "")) {
      const anchor = (lines.shift() ?? "").slice(3);
      if (anchor === "") continue;
      const at = old.findIndex((line, index) => index >= begin && line.text === anchor);
      if (at === -1) return undefined;
      begin = at + 1;
    }
    const changes: string[] = [];
    while (/^[ +-]|^$/.test(lines[0] ?? "*")) changes.push(lines.shift() || " ");
    const isAtEnd = lines[0] === "*** End of File";
    if (isAtEnd) lines.shift();
    const wanted = changes.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
    // Where lines belong without any around them is not a matter of the grammar.
    if (wanted.length === 0) return undefined;
    const last = old.length - wanted.length;
    let start = isAtEnd ? Math.max(begin, last) : begin;
    while (start <= last && !wanted.every((line, index) => old[start + index]?.text === line)) {
      start += 1;
    }
    if (start > last) return undefined;
    fresh.push(...old.slice(from, start));
    let at = start;
    for (const change of changes) {
      if (change.startsWith("+")) {
        const neighbour = old[at > start ? at - 1 : at] as Line;
        fresh.push({ text: change.slice(1), ending: neighbour.ending });
      } else {
        if (change.startsWith(" ")) fresh.push(old[at] as Line);
        at += 1;
      }
    }
    from = at;
    hunks += 1;
  }
  if (hunks === 0 && !mayBeEmpty) return undefined;
  fresh.push(...old.slice(from));
  return fresh.map((line) => line.text + line.ending).join("");
}
