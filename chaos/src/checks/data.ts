import type { History, Violation } from "../history/history.ts";

/**
 * I7: no window has more calls than its limit. The rate of a call was committed between `earliest` and the time of its
 * effect, so that a violation is certain.
 */
export function checkRates({
  effects,
  rate,
}: Pick<History, "effects" | "rate">): readonly Violation[] {
  const calls = effects.flatMap(({ earliest, time }) =>
    earliest === undefined ? [] : [{ earliest, time }],
  );
  return calls.flatMap(({ earliest: start }) => {
    const end = start + rate.windowMs;
    const count = calls.filter(({ earliest, time }) => earliest >= start && time < end).length;
    return count <= rate.calls
      ? []
      : [
          {
            invariant: "I7",
            text: `${count} calls in the ${rate.windowMs} ms from ${start}; the limit is ${rate.calls}.`,
          },
        ];
  });
}

/** I8: no artifact that can be read differs from what was stored, none is lost, and no bytes are without a row. */
export function checkArtifacts({
  artifactReads,
  tables,
}: Pick<History, "artifactReads" | "tables">): readonly Violation[] {
  const reads = artifactReads
    .filter(({ expected, found }) => expected !== found)
    .map(({ key, worker, expected, found }) =>
      found === "missing"
        ? `The artifact ${key} was stored, and ${worker} does not find it.`
        : `${worker} has read ${found} of the artifact ${key}; expected: ${expected}.`,
    );
  return [...reads, ...tables.artifacts].map((text) => ({ invariant: "I8", text }));
}

/** I9: no row and no object has a secret in clear. The violation does not repeat the secret. */
export function checkSecrets({
  secrets,
  tables,
  bucket,
}: Pick<History, "secrets" | "tables" | "bucket">): readonly Violation[] {
  const places = [
    { place: "dump of the database", content: Buffer.from(tables.dump) },
    ...(bucket?.objects ?? []).map(({ name, content }) => ({
      place: `object ${name}`,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
  ];
  return secrets.flatMap((secret, index) => {
    const forms = [
      secret,
      Buffer.from(secret).toString("hex"),
      Buffer.from(secret).toString("base64"),
    ];
    return places.flatMap(({ place, content }) => {
      const found = forms.findIndex((form) => content.includes(form));
      if (found === -1) return [];
      const form = ["clear", "hexadecimal", "base64"][found];
      return [{ invariant: "I9", text: `The ${place} has secret ${index + 1} in ${form}.` }];
    });
  });
}

/** I10: an agent exceeds its budget by at most one turn for each recovery. */
export function checkBudgets({ budgets }: Pick<History, "budgets">): readonly Violation[] {
  return budgets
    .filter(({ limit, used, recoveries }) => used > limit + recoveries)
    .map(({ agent, limit, used, recoveries }) => ({
      invariant: "I10",
      text: `${agent} has used ${used} turns of ${limit}, with ${recoveries} recoveries.`,
    }));
}
