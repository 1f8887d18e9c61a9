/** A text that more parsers accept, and what was tolerated; the end of a sentence. */
interface RepairedText {
  readonly text: string;
  readonly note: string;
}

/**
 * Repairs what authors write and other parsers read, at the line where a parser has given up: brackets and quoted texts
 * that stand too far left, tabs, values that need quotes, backslashes in double quotes, characters that do not print.
 *
 * @param reason the parser's.
 * @param line from 0.
 * @returns undefined where nothing is known to help.
 */
export function repairYaml(text: string, reason: string, line: number): RepairedText | undefined {
  if (reason.includes("non-printable")) {
    const printable = text.replace(/[\0-\b\v\f\x0e-\x1f\x7f]|\p{Surrogate}/gu, "");
    return changed(text, printable, "characters that do not print are left out");
  }
  const lines = text.split("\n");
  const found = lines[line];
  if (found === undefined) return undefined;
  const [repaired, note] = repairLine(found, reason, lines);
  if (repaired === undefined || repaired === found) return undefined;
  lines[line] = repaired;
  return { text: lines.join("\n"), note: `${note} in line ${line + 1}` };
}

function repairLine(
  line: string,
  reason: string,
  lines: string[],
): readonly [string | undefined, string] {
  if (/tab characters|deficient indentation/.test(reason) && /^ *\t/.test(line)) {
    // Where one line is indented so, others are.
    for (const [index, other] of lines.entries()) lines[index] = withoutTabs(other);
    return [withoutTabs(line), "tabs are taken as two spaces each"];
  }
  if (reason.startsWith("deficient indentation")) {
    return [`${" ".repeat(line.length + 1)}${line}`, "the indentation is too small"];
  }
  if (reason.startsWith("unknown escape")) {
    const escaped = line.replace(
      /\\(\\|[0abtnvfre "/N_LP\t]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})?/g,
      (escape, known: string | undefined) => (known === undefined ? `\\${escape}` : escape),
    );
    return [escaped, "a backslash in double quotes is taken as it is"];
  }
  return /^(?:bad indentation of a mapping|name of an a|unidentified alias)/.test(reason)
    ? [quotedValue(line), "a value is taken as text"]
    : [undefined, ""];
}

/** A value that YAML would read as something else, and that nothing else makes sense of. */
function quotedValue(line: string): string | undefined {
  // `s`: a value of any characters matches at once. One that did not would be tried from every place before it.
  const [, key = "", value = ""] =
    /^(\s*(?:- +)*(?:[^\s:#'"][^:]*:[ \t]+)?)(\S.*)$/s.exec(line.trimEnd()) ?? [];
  const isMeant = /^[@`%*&[{]/.test(value) || /:(?:\s|$)/.test(value);
  if (!isMeant || /^(?:['"|>]|[*&][\w-]+$)/.test(value)) return undefined;
  return `${key}'${value.replaceAll("'", "''")}'`;
}

function withoutTabs(line: string): string {
  return line.replace(/^[ \t]+/, (blank) => blank.replaceAll("\t", "  "));
}

function changed(before: string, text: string, note: string): RepairedText | undefined {
  return text === before ? undefined : { text, note };
}
