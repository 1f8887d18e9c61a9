import assert from "node:assert/strict";
import fc from "fast-check";
import { inFullRun } from "./index.ts";

/** Integers as JSON writes them, most of them beyond 2^53 or close to it. */
export const integers: fc.Arbitrary<string> = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 53n + 10n }).map(String),
  fc.integer({ min: 0, max: 66 }).map((shift) => String(2n ** BigInt(shift))),
  fc.constantFrom("725653563933458432", "-1152921504606846976", "1234567890123456768"),
);

/** Numbers with a fraction or an exponent, some of them with more digits than a double has. */
export const decimals: fc.Arbitrary<string> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,8})\.[0-9]{1,12}$/),
  fc.constantFrom("52.5200065999999987", "0.1", "1.0", "1e2", "-0"),
);

/** Matches the errors for refused numbers: they explain how the call is made correctly. */
export const remedy: RegExp = /send .+ instead|(?:send|use) .+ as a text|use .+ instead|in quotes/;

/** True for an integer that a JavaScript number may not hold: a text of its digits stands for it. */
export function isLong(number: string): boolean {
  return /^-?[0-9]+$/.test(number) && !Number.isSafeInteger(Number(number));
}

/** A call with numbers, as a model writes it. */
export interface NumberCall {
  readonly id: string;
  /** The arguments: `{"id":…,"n":…,"list":[…]}`. */
  readonly json: string;
  /** The numbers, by the names of the arguments. */
  readonly numbers: Readonly<Record<"id" | "n" | "list", string>>;
}

/** How a framework is tried. */
export interface NumberDoor {
  /** The framework parses the arguments, with the digits that a double has. */
  readonly isParsed: boolean;
  /** How many calls a model makes in one turn. Default: 25. */
  readonly callsOfATurn?: number;
  /** Makes the calls, whose ids differ, and returns what the model reads of each, by id. */
  call(calls: readonly NumberCall[]): Promise<Readonly<Record<string, unknown>>>;
}

/** A tool with numbers, as `defineTool` takes it. */
export interface NumberTool {
  readonly definition: object;
  /** The numbers that it has received, by call id. */
  readonly received: ReadonlyMap<string, NumberCall["numbers"]>;
}

/** The definition of a tool `keep`, which may be given a `bigint`. */
export function numberTool(): NumberTool {
  const received = new Map<string, NumberCall["numbers"]>();
  const number = { type: "number" };
  const input = {
    type: "object",
    properties: {
      id: { type: "integer" },
      n: number,
      list: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
    },
  };
  const execute = (
    { id, n, list }: { readonly id: unknown; readonly n: unknown; readonly list: unknown[] },
    { callId }: { readonly callId: string },
  ): string => {
    received.set(callId, { id: String(id), n: String(n), list: String(list[0]) });
    return "kept";
  };
  const definition = { name: "keep", description: "Keep numbers.", input, execute };
  return { definition, received };
}

/**
 * Makes 10,000 calls in a full run, 300 in a quick one: each number arrives as it was written, or the model reads a
 * remedy.
 *
 * @param isSameNumber of core.
 * @returns how many calls arrived, and how many were refused.
 */
export async function checkNumbers(
  door: NumberDoor,
  received: ReadonlyMap<string, NumberCall["numbers"]>,
  isSameNumber: (one: string, other: string) => boolean,
): Promise<{ readonly exact: number; readonly refused: number }> {
  // A fraction that a parser has rounded cannot be detected: decision 38.
  const survives = (number: string): boolean =>
    !door.isParsed ||
    isLong(number) ||
    isSameNumber(String(Number(number)).replace("e+", "e"), number);
  const drawn = fc.sample(
    fc.tuple(integers, fc.oneof(integers, decimals).filter(survives), fc.boolean()),
    inFullRun(10_000, 300),
  );
  const calls = drawn.map(([id, n, isText], index): NumberCall => {
    const write = (number: string): string => (isText && isLong(number) ? `"${number}"` : number);
    const json = `{"id":${write(id)},"n":${write(n)},"list":[${write(id)}]}`;
    return { id: `call_${index}`, json, numbers: { id, n, list: id } };
  });
  const { callsOfATurn = 25 } = door;
  const counts = { exact: 0, refused: 0 };
  for (let start = 0; start < calls.length; start += callsOfATurn) {
    const turn = calls.slice(start, start + callsOfATurn);
    const answers = await door.call(turn);
    for (const { id, json, numbers } of turn) {
      const arrived = received.get(id);
      const answer = JSON.stringify(answers[id]) ?? "nothing";
      const context = `${json} → ${JSON.stringify(arrived)} ${answer}`;
      if (arrived === undefined) {
        assert.match(answer, remedy, context);
        counts.refused += 1;
        continue;
      }
      for (const [name, number] of Object.entries(numbers) as ["id" | "n" | "list", string][]) {
        assert(isSameNumber(arrived[name].replace("e+", "e"), number), `${name}, ${context}`);
      }
      counts.exact += 1;
    }
  }
  return counts;
}
