import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { isAsyncIterable, observeStream } from "../../src/checks/result/stream-checks.ts";

const never = new Promise<never>(() => {});

/** Streams that yield one chunk and then wait for a second one that never comes. */
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

test.each(Object.entries(waiting))("%s that waits ends on return()", async (_, make) => {
  let waits = 0;
  const { stream, ended } = observeStream(make(), () => (waits += 1));
  const iterator = stream[Symbol.asyncIterator]();
  expect(String((await iterator.next()).value)).toBe("one");
  const second = iterator.next();
  // The pending chunk is irrelevant.
  second.catch(() => {});
  expect(waits).toBe(1);
  await iterator.return?.();
  expect(await ended).toEqual({ gaveMore: false });
});

test("a generator that yields more after return() is detected", async () => {
  const { stream, ended } = observeStream(
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

test("a stream that ends and a stream that throws have ended", async () => {
  const whole = observeStream(Readable.from(["a", "b"]));
  for await (const _ of whole.stream) continue;
  expect(await whole.ended).toEqual({ gaveMore: false });
  const broken = observeStream(
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

test("texts, bytes and lists are not streams", () => {
  expect(["text", new Uint8Array(2), [1], {}, null].filter(isAsyncIterable)).toEqual([]);
});
