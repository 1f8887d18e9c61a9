import { afterEach, beforeEach, expect, test } from "vitest";
import {
  runOwnedBy,
  containErrors,
  waitForTurns,
  EscapedErrors,
} from "../../src/context/escaped-errors.ts";

type Listener = (error: unknown) => void;

/** The errors that earlier listeners receive; they are restored after each test. */
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
  ["an unhandled rejection", (error) => void Promise.reject(error)],
  [
    "a rejection of what comes later",
    (error) =>
      void (async () => {
        await waitForTurns();
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
  using errors = new EscapedErrors();
  const error = new Error("stray");
  errors.run(() => stray(error));
  await waitForTurns();
  await waitForTurns();
  expect(errors.caught).toEqual([error]);
  expect(passedOn).toEqual([]);
});

test.each(strays)("%s of other code is passed to the earlier listeners", async (_, stray) => {
  using errors = new EscapedErrors();
  using another = new EscapedErrors();
  const error = new Error("stray");
  stray(error);
  await waitForTurns();
  await waitForTurns();
  expect([...errors.caught, ...another.caught]).toEqual([]);
  expect(passedOn).toEqual([error]);
});

test("each of several watchers catches its own errors", async () => {
  using first = new EscapedErrors();
  using second = new EscapedErrors();
  const [one, two] = [new Error("one"), new Error("two")];
  first.run(() => void Promise.reject(one));
  second.run(() => void Promise.reject(two));
  await waitForTurns();
  expect([first.caught, second.caught]).toEqual([[one], [two]]);
});

test("errors of earlier objects belong to their owner", async () => {
  const maker = {};
  runOwnedBy(maker, () =>
    setTimeout(() => {
      throw new Error("stray");
    }, 1),
  );
  using errors = new EscapedErrors(maker);
  while (errors.caught.length === 0) await waitForTurns();
  expect(errors.caught).toHaveLength(1);
});

test("the earlier listeners are restored after the last watcher stops, in any order", () => {
  const listeners = (): unknown[] => process.listeners("uncaughtException");
  const own = listeners();
  const first = new EscapedErrors();
  const second = new EscapedErrors();
  expect(listeners()).not.toEqual(own);
  first[Symbol.dispose]();
  const late = (): void => {};
  process.on("uncaughtException", late);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  expect(listeners()).toEqual([...own, late]);
});

test("contained work returns its result, and its errors are ignored", async () => {
  const result = await containErrors({}, async () => {
    void Promise.reject(new Error("stray"));
    return 7;
  });
  expect(result).toBe(7);
  expect(passedOn).toEqual([]);
});
