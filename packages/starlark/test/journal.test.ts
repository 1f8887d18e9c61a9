import { expect, test } from "vitest";
import { compile, hostFunction, Journal, run, StarlarkError } from "../src/index.ts";
import type { HostValue, JournalState } from "../src/index.ts";

const source =
  "def f(n):\n  total = 0\n  for i in range(n):\n    r = ask(i, text = 'x')\n    total += r['value'] + len(r['tags'])\n  return (total, ask(-1)['value'])";
const program = compile(source, { predeclared: ["ask"] });

/** A function of the host that counts its calls and interrupts the run at one of them. */
function asking(log: number[], interruptAt: number): ReturnType<typeof hostFunction> {
  return hostFunction("ask", ([i]) => {
    if (log.length === interruptAt)
      throw new StarlarkError("interrupted", "needs approval", { cause: { question: i } });
    log.push(i as number);
    return { value: (i as number) * 2, tags: new Set(["a", 1.5]) };
  });
}

function save(journal: Journal): JournalState {
  return JSON.parse(JSON.stringify(journal.state)) as JournalState;
}

test("a run that was interrupted continues from its journal, and repeats no effect", async () => {
  const all: number[] = [];
  const expected = await run(program, {
    call: "f",
    args: [4],
    predeclared: { ask: asking(all, Infinity) },
  });
  for (let at = 0; at < all.length; at++) {
    const log: number[] = [];
    const journal = new Journal();
    const options = { call: "f", args: [4], journal };
    const error = await run(program, { ...options, predeclared: { ask: asking(log, at) } }).catch(
      (reason: unknown) => reason as StarlarkError,
    );
    expect(error).toMatchObject({
      code: "interrupted",
      message: "needs approval",
      cause: { question: all[at] },
    });
    const again = new Journal({ state: save(journal) });
    const resumed = await run(program, {
      ...options,
      journal: again,
      predeclared: { ask: asking(log, Infinity) },
    });
    expect(resumed.value).toEqual(expected.value);
    expect(log).toEqual(all);
    expect(again.length).toBe(all.length);
  }
});

test("values of every kind, and errors, come out of a journal as they went in", async () => {
  const values: HostValue[] = [
    null,
    true,
    7,
    2n ** 90n,
    1.5,
    -0,
    "é\ud83d\ude00",
    Uint8Array.of(1, 255),
    [1, [2]],
    new Map<HostValue, HostValue>([
      [1, "a"],
      ["2", "b"],
    ]),
    new Set([1]),
    { $int: "1" },
    { 2: "b", 1: "a" },
  ];
  const give = (): ReturnType<typeof hostFunction> => {
    let next = 0;
    return hostFunction("give", () => values[next++] as HostValue);
  };
  const all = compile("def f(n): return [repr(give()) for i in range(n)]", {
    predeclared: ["give"],
  });
  const journal = new Journal();
  const options = { call: "f", args: [values.length] };
  const first = await run(all, { ...options, journal, predeclared: { give: give() } });
  const none = hostFunction("give", () => {
    throw new Error("called again");
  });
  const replayed = new Journal({ state: save(journal) });
  const second = await run(all, { ...options, journal: replayed, predeclared: { give: none } });
  expect(second.value).toEqual(first.value);
});

test("another source, another call and a script that does something else are detected", async () => {
  const journal = new Journal();
  const log: number[] = [];
  await run(program, { call: "f", args: [2], journal, predeclared: { ask: asking(log, 1) } }).catch(
    () => undefined,
  );
  const resume = async (edited: string, args: HostValue[]): Promise<string> => {
    const other = compile(edited, { predeclared: ["ask"] });
    const options = { call: "f", args, journal: new Journal({ state: save(journal) }) };
    const error = await run(other, {
      ...options,
      predeclared: { ask: asking(log, Infinity) },
    }).catch((reason: unknown) => reason as StarlarkError);
    expect((error as StarlarkError).code).toBe("outcome_unknown");
    return (error as StarlarkError).message;
  };
  expect(await resume(`${source}\n`, [2])).toBe(
    "the journal is of another source: the run cannot continue",
  );
  expect(await resume(source, [3])).toBe("the journal is of another call: the run cannot continue");
  expect(log).toEqual([0]);
});

test("a journal that differs from the calls of the script is detected before anything is called", async () => {
  const log: number[] = [];
  const journal = new Journal();
  await run(program, {
    call: "f",
    args: [1],
    journal,
    predeclared: { ask: asking(log, Infinity) },
  });
  const { entries, ...rest } = save(journal);
  const changed = entries.map((entry, index) =>
    index === 0 ? { ...entry, arguments: "[]" } : entry,
  );
  for (const [state, message] of [
    [
      { ...rest, entries: changed },
      "effect 1 is a call of ask, but the journal has another call of ask",
    ],
    [
      { ...rest, entries: [...entries, ...entries] },
      "the run ended after 2 effects, but the journal has 4",
    ],
  ] as const) {
    const options = { call: "f", args: [1], journal: new Journal({ state }) };
    await expect(
      run(program, { ...options, predeclared: { ask: asking(log, Infinity) } }),
    ).rejects.toThrow(message);
  }
  expect(log.length).toBe(2);
});

test("a journal is saved after each effect, and one that is too long stops the script before the next", async () => {
  const lengths: number[] = [];
  const log: number[] = [];
  const journal = new Journal({
    maxBytes: 200,
    onEntry: ({ length }) => void lengths.push(length),
  });
  const options = { call: "f", args: [100], journal, predeclared: { ask: asking(log, Infinity) } };
  await expect(run(program, options)).rejects.toThrow("the journal is longer than 200 bytes");
  expect(lengths).toEqual(log.map((_, index) => index + 1));
});
