import type { DocBlock } from "./doc-blocks.ts";

/** A test of an outcome's status: a call that is `completed` can have an error, and one that has not failed can wait. */
const statusTests: readonly RegExp[] = [
  /\bstatus\s*[!=]==?\s*"(?:completed|failed|interrupted)"/,
  /"(?:completed|failed|interrupted)"\s*[!=]==?\s*[\w.?!]*\bstatus\b/,
  /\bassert[\w.]*\(\s*[\w.?!]+\.status\s*,\s*"(?:completed|failed|interrupted)"/,
  /\bswitch\s*\(\s*[\w.?!]*\bstatus\s*\)/,
];

/** Results of agents and durable runs have a status of their own, which is the test for them. */
const agents = /@toolweave\/(?:subagent|durable)\b/;

/** Tests of an outcome in examples that are other ones than those of `ok` and `interruption`. */
export function outcomeTestProblems(blocks: readonly DocBlock[]): readonly string[] {
  return blocks
    .filter(({ code }) => !agents.test(code))
    .flatMap(({ file, line, code }) =>
      code.split("\n").flatMap((text, index) => {
        if (!statusTests.some((pattern) => pattern.test(text))) return [];
        const place = `${file}:${line + index + 1}`;
        return [`${place}: test ok, then interruption, and not status: ${text.trim()}`];
      }),
    );
}

/** Sentences of a page that tell its reader to test something else. */
export function outcomeProseProblems(page: string, file: string): readonly string[] {
  return page
    .split("\n")
    .flatMap((text, index) =>
      /\b(?:test|check)s? `(?:outcome\.)?status`/i.test(text)
        ? [`${file}:${index + 1}: an outcome is tested by ok, then interruption, not by status`]
        : [],
    );
}
