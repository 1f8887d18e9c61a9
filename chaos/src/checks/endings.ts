import { groupByCall, type Answer, type History, type Violation } from "../history/history.ts";

/** Codes of errors that are not the end of a call: it can be made again, or another answer to it counts. */
const notFinal: ReadonlySet<string> = new Set([
  "approval_invalid",
  "outcome_unknown",
  "store_unavailable",
]);

function isFinal({ status, code }: Answer): boolean {
  return status === "completed" || (status === "failed" && !notFinal.has(code ?? ""));
}

/**
 * I3: an outcome that was reported as final is the same for every other client, and is not unknown to those that ask for
 * it afterwards. Only outcomes that are stored first can stay known: the outcome of another call that was approved is
 * noted afterwards, and clients that answered differently get none.
 */
export function checkOutcomesStay({ answers }: Pick<History, "answers">): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [call, all] of groupByCall(answers)) {
    const ordered = all.toSorted((a, b) => a.at - b.at);
    const first =
      ordered.find((answer) => isFinal(answer) && answer.isStored) ?? ordered.find(isFinal);
    if (first === undefined) continue;
    for (const later of ordered) {
      const isForgotten =
        first.isStored === true && later.isStored === true && later.from > first.at;
      const isChanged = isFinal(later)
        ? later.status !== first.status || later.digest !== first.digest
        : isForgotten && later.code === "outcome_unknown";
      if (!isChanged) continue;
      violations.push({
        invariant: "I3",
        text: `${call} was reported as ${describe(first)} to ${first.attempt}, and as ${describe(later)} to ${later.attempt}.`,
      });
    }
  }
  return violations;
}

function describe({ status, code, digest }: Answer): string {
  return [status, code, digest?.slice(0, 8)].filter((part) => part !== undefined).join(" ");
}

/** I4: every operation ends, and no row waits for a process that has ended. */
export function checkEverythingEnds({
  operations,
  tables,
}: Pick<History, "operations" | "tables">): readonly Violation[] {
  const unfinished = operations.flatMap(({ id, kind, unfinished }) =>
    unfinished === undefined ? [] : [`The operation ${id} (${kind}) has not ended: ${unfinished}`],
  );
  const wrong = operations.flatMap(({ id, kind, wrong }) =>
    wrong === undefined ? [] : [`The operation ${id} (${kind}) has ended wrongly: ${wrong}`],
  );
  return [...unfinished, ...wrong, ...tables.unfinished].map((text) => ({ invariant: "I4", text }));
}
