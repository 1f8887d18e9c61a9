import { afterEach, beforeEach, expect, test } from "vitest";
import { madeBy, sheltered, someTurns, StrayErrors } from "../src/context/stray-errors.ts";

type Listener = (error: unknown) => void;

/** What goes on to those who listened before; they are back after each test. */
let passedOn: unknown[] = [];
let before: readonly { readonly event: string; readonly listeners: readonly Listener[] }[] = [];

beforeEach(() => {
  passedOn = [];
  before = ["unhandledRejection", "uncaughtException"].map((event) => {
    const listeners = process.listeners(event as "uncaughtException") as Listener[];
    process.removeAllListeners(event);
    process.on(event as "uncaughtException", (error) => passedOn.push(error));
    return { event, listeners };
  });
});

afterEach(() => {
  for (const { event, listeners } of before) {
    process.removeAllListeners(event);
    for (const listener of listeners) process.on(event as "uncaughtException", listener);
  }
});

const strays: readonly [what: string, stray: (error: Error) => void][] = [
  ["a rejection that nobody handles", (error) => void Promise.reject(error)],
  [
    "a rejection of what comes later",
    (error) =>
      void (async () => {
        await someTurns();
        throw error;
      })(),
  ],
  [
    "an error in an immediate",
    (error) =>
      setImmediate(() => {
        throw error;
      }),
  ],
  [
    "an error in a tick",
    (error) =>
      process.nextTick(() => {
        throw error;
      }),
  ],
];

test.each(strays)("%s is caught", async (_, stray) => {
  using errors = new StrayErrors();
  const error = new Error("stray");
  errors.run(() => stray(error));
  await someTurns();
  await someTurns();
  expect(errors.caught).toEqual([error]);
  expect(passedOn).toEqual([]);
});

test.each(strays)("%s of others goes on to those who listened before", async (_, stray) => {
  using errors = new StrayErrors();
  using another = new StrayErrors();
  const error = new Error("stray");
  stray(error);
  await someTurns();
  await someTurns();
  expect([...errors.caught, ...another.caught]).toEqual([]);
  expect(passedOn).toEqual([error]);
});

test("of several who watch each catches its own", async () => {
  using first = new StrayErrors();
  using second = new StrayErrors();
  const [one, two] = [new Error("one"), new Error("two")];
  first.run(() => void Promise.reject(one));
  second.run(() => void Promise.reject(two));
  await someTurns();
  expect([first.caught, second.caught]).toEqual([[one], [two]]);
});

test("what was made before counts as its maker's", async () => {
  const maker = {};
  madeBy(maker, () =>
    setTimeout(() => {
      throw new Error("stray");
    }, 1),
  );
  using errors = new StrayErrors(maker);
  while (errors.caught.length === 0) await someTurns();
  expect(errors.caught).toHaveLength(1);
});

test("those who listened before are back when nobody watches any more, in whatever order they stop", () => {
  const listeners = (): unknown[] => process.listeners("uncaughtException");
  const own = listeners();
  const first = new StrayErrors();
  const second = new StrayErrors();
  expect(listeners()).not.toEqual(own);
  first[Symbol.dispose]();
  const late = (): void => {};
  process.on("uncaughtException", late);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  expect(listeners()).toEqual([...own, late]);
});

test("what is sheltered gives its result, and its stray errors do no harm", async () => {
  const result = await sheltered({}, async () => {
    void Promise.reject(new Error("stray"));
    return 7;
  });
  expect(result).toBe(7);
  expect(passedOn).toEqual([]);
});
