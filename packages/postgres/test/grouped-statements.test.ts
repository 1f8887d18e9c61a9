import { ToolError } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Row } from "../src/database/database.ts";
import {
  GroupedStatements,
  maxActive,
  type StatementRunner,
} from "../src/database/grouped-statements.ts";
import { ManualTimers } from "./support/manual-timers.ts";

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly attempts: number;
  readonly answer: (rows: readonly Row[]) => void;
  readonly fail: (error: unknown) => void;
}

/** Keeps statements until the test answers them. */
class Server implements StatementRunner {
  readonly timers = new ManualTimers();
  readonly sent: Sent[] = [];

  run(text: string, values: readonly unknown[], attempts: number): Promise<readonly Row[]> {
    return new Promise((answer, fail) => {
      this.sent.push({ text, values, attempts, answer, fail });
    });
  }
}

const lost = new ToolError("store_unavailable", "The connection is lost.");

function start(isRead = false) {
  const server = new Server();
  const statements = { one: "one", many: "many", constants: ["constant"], isRead };
  return { server, group: new GroupedStatements(server, statements) };
}

/** After all that follows from the last step. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** As many statements as there may be are under way; none of them is in `server.sent` any more. */
async function occupy({ server, group }: ReturnType<typeof start>): Promise<readonly Sent[]> {
  for (let n = 1; n <= maxActive; n++) {
    void group.run(`active ${n}`, [`active ${n}`]);
    await settled();
  }
  return server.sent.splice(0);
}

describe("operations that are made at the same time", () => {
  test("one by itself is sent at once, with its own parameters after those of both statements", async () => {
    const { server, group } = start();
    const result = group.run("a", [1, 2], ["more"]);
    await settled();
    expect(server.sent).toMatchObject([
      { text: "one", values: [1, 2, "constant", "more"], attempts: 3 },
    ]);
    server.sent[0]?.answer([{ x: 1 }]);
    expect(await result).toEqual([{ x: 1 }]);
  });

  test("those of one tick are one statement in the order of their keys, and each has its own rows", async () => {
    const { server, group } = start();
    const results = Promise.all([group.run("b", [2, "two"]), group.run("a", [1, "one"])]);
    await settled();
    const values = [[1, 2], ["one", "two"], "constant"];
    expect(server.sent).toMatchObject([{ text: "many", values, attempts: 1 }]);
    server.sent[0]?.answer([
      { n: "2", x: "b" },
      { n: "1", x: "a" },
    ]);
    expect(await results).toEqual([[{ n: "2", x: "b" }], [{ n: "1", x: "a" }]]);
  });

  test("those that come while all statements are busy form the next one", async () => {
    const started = start();
    const { server, group } = started;
    const [first] = await occupy(started);
    for (const key of ["c", "d"]) {
      void group.run(key, [key]);
      await settled();
    }
    expect(server.sent).toEqual([]);
    first?.answer([{}]);
    await settled();
    expect(server.sent.map(({ values }) => values[0])).toEqual([["c", "d"]]);
  });

  test("writes of one key are in different statements, in their order", async () => {
    const { server, group } = start();
    for (const value of [1, 2]) void group.run("a", [value]);
    void group.run("b", [3]);
    await settled();
    expect(server.sent.map(({ values }) => values[0])).toEqual([[1, 3], 2]);
  });

  test("reads of one key share its rows, and one without a row is not sent again", async () => {
    const { server, group } = start(true);
    const results = Promise.all(["a", "a", "b"].map((key) => group.run(key, [key])));
    await settled();
    expect(server.sent.map(({ values }) => values[0])).toEqual([["a", "b"]]);
    server.sent[0]?.answer([{ n: 1 }]);
    expect(await results).toEqual([[{ n: 1 }], [{ n: 1 }], []]);
  });

  test("a write without a row is sent by itself", async () => {
    const { server, group } = start();
    const results = Promise.all([group.run("a", [1]), group.run("b", [2])]);
    await settled();
    server.sent.pop()?.answer([{ n: 1 }]);
    await settled();
    expect(server.sent).toMatchObject([{ text: "one", values: [2, "constant"] }]);
    server.sent[0]?.answer([{ taken: true }]);
    expect(await results).toEqual([[{ n: 1 }], [{ taken: true }]]);
  });

  test("if a statement fails, each is sent by itself, and one that fails fails alone", async () => {
    const { server, group } = start();
    const results = Promise.allSettled([group.run("a", [1]), group.run("b", [2])]);
    await settled();
    server.sent.pop()?.fail(lost);
    await settled();
    expect(server.sent).toMatchObject([
      { text: "one", values: [1, "constant"], attempts: 2 },
      { text: "one", values: [2, "constant"], attempts: 2 },
    ]);
    server.sent[0]?.fail(lost);
    server.sent[1]?.answer([{ x: 2 }]);
    expect(await results).toEqual([
      { status: "rejected", reason: lost },
      { status: "fulfilled", value: [{ x: 2 }] },
    ]);
  });

  test("one that waits for longer than the deadline fails, and is not sent", async () => {
    const started = start();
    const { server, group } = started;
    const [first] = await occupy(started);
    const late = group.run("late", ["late"]).catch((error: unknown) => error);
    server.timers.expire();
    expect(await late).toMatchObject({ code: "store_unavailable" });
    void group.run("later", ["later"]);
    first?.answer([{}]);
    await settled();
    expect(server.sent.map(({ values }) => values[0])).toEqual(["later"]);
  });

  test("a statement has a maximum of operations and of bytes", async () => {
    const { server, group } = start();
    for (let n = 0; n < 65; n++) void group.run(`${n}`, [n]);
    await settled();
    expect(server.sent.map(({ text }) => text)).toEqual(["many", "one"]);
    const other = start();
    for (const key of ["a", "b", "c"]) void other.group.run(key, [Buffer.alloc(600 * 1024)]);
    await settled();
    expect(other.server.sent.map(({ text }) => text)).toEqual(["many", "one"]);
  });

  test("with any order of calls, answers and lost answers, each write is done and answered once", async () => {
    const step = fc.oneof(
      fc.record({ call: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ answer: fc.nat(), isLost: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { server, group } = start();
        /** The writes that the database has done, by their token; a token is done once. */
        const done = new Map<unknown, number>();
        const results: Promise<unknown>[] = [];
        const write = (token: unknown): number => {
          done.set(token, done.get(token) ?? done.size + 1);
          return done.get(token) as number;
        };
        const answer = (at: number, isLost: boolean): void => {
          const [sent] = server.sent.splice(at % server.sent.length, 1);
          const { text, values } = sent as Sent;
          const tokens = (text === "one" ? [values[0]] : values[0]) as readonly unknown[];
          // A new write of each token, unless it is there: then its own function answers.
          const rows = tokens.flatMap((token, index) =>
            text === "many" && done.has(token) ? [] : [{ n: index + 1, place: write(token) }],
          );
          // A single statement is sent again by the database itself.
          if (isLost && text === "many") (sent as Sent).fail(lost);
          else (sent as Sent).answer(rows);
        };
        for (const one of steps) {
          if ("call" in one) {
            const token = results.length;
            const result = group.run(`${one.call}`, [token]);
            results.push(result.then(([row]) => row?.["place"] === done.get(token)));
          } else if (server.sent.length > 0) answer(one.answer, one.isLost);
          await settled();
        }
        for (; server.sent.length > 0; await settled()) answer(0, false);
        expect(await Promise.all(results)).toEqual(results.map(() => true));
        expect(done.size).toBe(results.length);
      }),
      { numRuns: 100 },
    );
  });
});
