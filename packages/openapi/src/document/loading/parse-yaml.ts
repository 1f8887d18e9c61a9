import { constructYaml, type YamlModule } from "./construct-yaml.ts";

const maxDepth = 500;
/**
 * Maximum number of characters that all repairs may parse, since each one parses the text again; a longer text gets one
 * repair.
 */
const maxRepairedLength = 20_000_000;
const maxRepairs = 500;
/** Maximum growth of a text through repairs: they indent and quote single lines. */
const maxGrowthFactor = 2;
const maxGrowth = 4_096;

/**
 * Parses YAML 1.2 as it is published: duplicate keys (the last wins), merge keys, unknown tags, and the errors that
 * `repairYaml` repairs, with at most 500 repairs, 20,000,000 characters and twice the text's length.
 *
 * @param tolerated called with errors that were tolerated; a part of a sentence.
 */
export function parseYaml(
  text: string,
  yaml: YamlModule,
  tolerated: (note: string) => void,
): unknown {
  let source = text;
  const maxLength = maxGrowthFactor * text.length + maxGrowth;
  let repairs = 0;
  let repairedLength = 0;
  for (;;) {
    try {
      const { value, duplicateLine } = constructYaml(
        yaml.parseEvents(source, { maxDepth }),
        source,
        yaml,
      );
      if (duplicateLine !== undefined) {
        tolerated(`the last of several equal keys is used, as in line ${duplicateLine}`);
      }
      return value;
    } catch (error) {
      const { reason = "", mark } = error as { reason?: string; mark?: { line: number } };
      const isSpent = repairs++ >= maxRepairs || repairedLength >= maxRepairedLength;
      const repaired = isSpent ? undefined : repairYaml(source, reason, mark?.line ?? -1);
      if (repaired === undefined || repaired.text.length > maxLength) throw error;
      repairedLength += repaired.text.length;
      tolerated(repaired.note);
      source = repaired.text;
    }
  }
}

/** A text that more parsers accept, and the error that was repaired; the end of a sentence. */
interface RepairedText {
  readonly text: string;
  readonly note: string;
}

/**
 * Repairs errors that other parsers tolerate, at the line where a parser has failed: brackets and quoted texts with too
 * little indentation, tabs, values that need quotes, backslashes in double quotes, non-printable characters.
 *
 * @param reason the parser's message.
 * @param line from 0.
 * @returns undefined if there is no known repair.
 */
function repairYaml(text: string, reason: string, line: number): RepairedText | undefined {
  if (reason.includes("non-printable")) {
    const printable = text.replace(/[\0-\b\v\f\x0e-\x1f\x7f]|\p{Surrogate}/gu, "");
    return toRepair(text, printable, "non-printable characters are removed");
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
    // If one line is indented with tabs, others are too.
    for (const [index, other] of lines.entries()) lines[index] = replaceTabs(other);
    return [replaceTabs(line), "each tab is read as two spaces"];
  }
  if (reason.startsWith("deficient indentation")) {
    return [`${" ".repeat(line.length + 1)}${line}`, "the indentation is too small"];
  }
  if (reason.startsWith("unknown escape")) {
    const escaped = line.replace(
      /\\(\\|[0abtnvfre "/N_LP\t]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})?/g,
      (escape, known: string | undefined) => (known === undefined ? `\\${escape}` : escape),
    );
    return [escaped, "a backslash in double quotes is read literally"];
  }
  return /^(?:bad indentation of a mapping|name of an a|unidentified alias)/.test(reason)
    ? [quoteValue(line), "a value is read as text"]
    : [undefined, ""];
}

/** Quotes a value that YAML would read as another type, and that is valid in no other way. */
function quoteValue(line: string): string | undefined {
  // `s`: a value of any characters matches at once. Without it, a match would be attempted from every position.
  const [, key = "", value = ""] =
    /^(\s*(?:- +)*(?:[^\s:#'"][^:]*:[ \t]+)?)(\S.*)$/s.exec(line.trimEnd()) ?? [];
  const isMeant = /^[@`%*&[{]/.test(value) || /:(?:\s|$)/.test(value);
  if (!isMeant || /^(?:['"|>]|[*&][\w-]+$)/.test(value)) return undefined;
  return `${key}'${value.replaceAll("'", "''")}'`;
}

function replaceTabs(line: string): string {
  return line.replace(/^[ \t]+/, (blank) => blank.replaceAll("\t", "  "));
}

function toRepair(before: string, text: string, note: string): RepairedText | undefined {
  return text === before ? undefined : { text, note };
}
