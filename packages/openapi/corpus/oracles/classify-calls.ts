import { readFileSync } from "node:fs";
import { oracleFaults } from "./oracle-faults.ts";
import type { OracleFault } from "./oracle-fault.ts";
import type { CheckedCall, CheckedDocument } from "./check-document.ts";
import type { Verdict } from "./oracle.ts";

/** The faults of oracles that occur: by document, then by operation, the ids of `oracleFaults`. */
export type KnownFaults = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Where they are recorded; `report.ts --record` writes it. */
export const knownFaultsFile: URL = new URL("known-faults.json", import.meta.url);

/** The recorded data. */
export function knownFaults(): KnownFaults {
  return JSON.parse(readFileSync(knownFaultsFile, "utf8")) as KnownFaults;
}

/** The classification of one oracle's verdicts on the calls of a document. */
export interface Tally {
  readonly oracle: string;
  accepted: number;
  /** It cannot check the operation, whatever is sent. */
  notChecked: number;
  /** Rejected through its own fault. */
  oracles: number;
  /** Rejected for another reason. */
  ours: number;
}

/** The verdicts of all oracles on the calls of a document. */
export interface Classification {
  readonly tallies: readonly Tally[];
  /** Rejections that no known fault explains, and calls that made no request. */
  readonly ours: readonly string[];
  /** The faults that explain the others, by operation. */
  readonly faults: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Classifies each rejection of a document's calls.
 *
 * @param known the faults that may occur, by operation; without it, all that explain the rejection.
 * @param possible the faults that can explain one.
 */
export function classifyCalls(
  { document, calls }: CheckedDocument,
  oracles: readonly string[],
  known?: Readonly<Record<string, readonly string[]>>,
  possible: readonly OracleFault[] = oracleFaults,
): Classification {
  const tallies = oracles.map((oracle) => ({
    oracle,
    accepted: 0,
    notChecked: 0,
    oracles: 0,
    ours: 0,
  }));
  const ours: string[] = [];
  const faults = new Map<string, Set<string>>();
  const note = (operation: string, ids: readonly string[]): void => {
    const noted = faults.get(operation) ?? new Set();
    faults.set(operation, noted);
    for (const id of ids) noted.add(id);
  };
  for (const call of calls) {
    const { operation, variant, unsent, verdicts } = call;
    if (unsent !== undefined) {
      ours.push(`${operation} (${variant}) was not sent: ${unsent}`);
      for (const tally of tallies) tally.ours++;
      continue;
    }
    for (const tally of tallies) {
      const verdict = verdicts[tally.oracle] as Verdict;
      if ("cannot" in verdict) tally.notChecked++;
      else if (verdict.length === 0) tally.accepted++;
      else {
        const { ids, open } = explainObjections(
          document,
          tally.oracle,
          call,
          verdict,
          known === undefined
            ? possible
            : possible.filter(({ id }) => known[operation]?.includes(id)),
        );
        note(operation, ids);
        if (open.length === 0) tally.oracles++;
        else {
          tally.ours++;
          ours.push(`${operation} (${variant}), ${tally.oracle}: ${open.join("; ")}`);
        }
      }
    }
  }
  return { tallies, ours, faults };
}

function explainObjections(
  document: string,
  oracle: string,
  call: CheckedCall,
  objections: Exclude<Verdict, { readonly cannot: string }>,
  possible: readonly OracleFault[],
): { readonly ids: readonly string[]; readonly open: readonly string[] } {
  const ids: string[] = [];
  const open: string[] = [];
  const key = `${document}#${call.operation}`;
  for (const objection of objections) {
    const fault = possible.find(
      ({ oracles, only, explains }) =>
        oracles.includes(oracle) &&
        (only === undefined || only.includes(key)) &&
        explains(objection, call),
    );
    if (fault === undefined) open.push(`${objection.rule} ${objection.message}`);
    else ids.push(fault.id);
  }
  return { ids, open };
}
