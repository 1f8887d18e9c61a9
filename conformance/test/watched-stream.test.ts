import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { isIterable, watchedStream } from "../src/watching/watched-stream.ts";

const never = new Promise<never>(() => {});

/** Streams that have one piece, and then wait for a second that never comes. */
const waiting: Readonly<Record<string, () => AsyncIterable<unknown>>> = {
  "a web stream": () =>
    new ReadableStream({
      start: (controller) => controller.enqueue("one"),
      pull: () => never,
    }),
  "a stream of Node": () => {
    let isFirst = true;
    return new Readable({
      read() {
        if (isFirst) this.push("one");
        isFirst = false;
      },
    });
  },
};

test.each(Object.entries(waiting))("%s that waits ends when it is told to", async (_, make) => {
  let waits = 0;
  const { stream, ended } = watchedStream(make(), () => (waits += 1));
  const iterator = stream[Symbol.asyncIterator]();
  expect(String((await iterator.next()).value)).toBe("one");
  const second = iterator.next();
  // What becomes of the piece that never comes is not the point.
  second.catch(() => {});
  expect(waits).toBe(1);
  await iterator.return?.();
  expect(await ended).toEqual({ gaveMore: false });
});

test("a generator that gives more when it is told to end is seen", async () => {
  const { stream, ended } = watchedStream(
    (async function* () {
      try {
        yield 1;
      } finally {
        yield 2;
      }
    })(),
  );
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
  expect(await ended).toEqual({ gaveMore: true });
});

test("a stream that comes to its end has ended, and so has one that breaks off", async () => {
  const whole = watchedStream(Readable.from(["a", "b"]));
  for await (const _ of whole.stream) continue;
  expect(await whole.ended).toEqual({ gaveMore: false });
  const broken = watchedStream(
    (async function* () {
      yield 1;
      throw new Error("broken");
    })(),
  );
  const reading = (async () => {
    for await (const _ of broken.stream) continue;
  })();
  await expect(reading).rejects.toThrow("broken");
  expect(await broken.ended).toEqual({ gaveMore: false });
});

test("texts, bytes and lists are no streams", () => {
  expect(["text", new Uint8Array(2), [1], {}, null].filter(isIterable)).toEqual([]);
});
