import { describe, expect, test } from "vitest";
import { ToolError } from "@toolweave/core";
import { defaultErrorLimits, redactError } from "../../src/redaction/redact-error.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { failed } from "../support/outcomes.ts";

const secret = "tok_4f9a0c2b7d1e";

interface Searched {
  readonly given: ToolError;
  readonly error: ToolError;
  /** The number of searched values, and of their characters. */
  readonly values: number;
  readonly characters: number;
}

/** Redacts an error with that cause, and counts the searched values. */
function search(cause: unknown, limits = {}): Searched {
  let values = 0;
  let characters = 0;
  const redact = <Value>(value: Value): Value => {
    const text = String(typeof value === "object" ? JSON.stringify(value) : value);
    values += 1;
    characters += text.length;
    return text.includes(secret) ? ("[redacted]" as Value) : value;
  };
  const given = new ToolError("execution_failed", "it failed", { cause });
  const error = redactError(given, redact, true, { ...defaultErrorLimits, ...limits });
  return { given, error, values, characters };
}

/** The texts that a host reads of an error and its causes. */
function causes(error: Error): readonly string[] {
  const texts: string[] = [];
  let at: unknown = error.cause;
  for (; at instanceof Error && texts.length < 1000; at = at.cause) {
    texts.push(`${at.name} ${at.message} ${at.stack}`);
  }
  return texts;
}

function chain(length: number, last: unknown): unknown {
  let at = last;
  for (let index = 0; index < length; index++) at = new Error(`level ${index}`, { cause: at });
  return at;
}

function cyclic(length: number, message = "in circles"): Error {
  const last: Error = new Error(message);
  last.cause = chain(length - 1, last);
  return last;
}

/** Each contains the next level twice: 2^levels ways to the last one. */
function aggregate(levels: number, last: unknown): unknown {
  let at = last;
  for (let level = 0; level < levels; level++) {
    at = new AggregateError([at, at], "both failed", { cause: at });
  }
  return at;
}

const bomb = (levels: number): unknown => {
  let at: unknown = "leaf";
  for (let level = 0; level < levels; level++) at = { a: at, b: at };
  return at;
};

const carrying = (more: object): Error => Object.assign(new Error("it carries something"), more);

describe("causes that contain no secret", () => {
  test.each<[string, () => unknown]>([
    ["one that is its own cause", () => cyclic(1)],
    ["two that cause one another", () => cyclic(2)],
    ["a cycle of 50", () => cyclic(50)],
    ["a cycle after other causes", () => chain(30, cyclic(7))],
    ["a chain of 21", () => chain(21, undefined)],
    ["a chain of 1,000", () => chain(1000, "at last")],
    ["aggregates that share what failed", () => aggregate(60, new Error("once"))],
    ["members that are shared", () => chain(40, carrying({ config: bomb(60) }))],
    ["a list of a thousand items", () => carrying({ list: Array.from({ length: 1000 }) })],
  ])("stay the same objects, and are searched once: %s", (_, make) => {
    const { given, error, values } = search(make());
    expect(error).toBe(given);
    expect(values).toBeLessThan(10_000);
  });
});

describe("causes that contain a secret somewhere", () => {
  const withSecret = new Error(`refused ${secret}`);
  test.each<[string, () => unknown]>([
    ["in a cycle of one", () => cyclic(1, secret)],
    ["in a cycle of 50", () => cyclic(50, secret)],
    ["at the end of 21", () => chain(21, withSecret)],
    ["at the end of 1,000", () => chain(1000, withSecret)],
    ["in a text at the end of 100", () => chain(100, `Bearer ${secret}`)],
    ["in the cause of a plain object", () => ({ cause: secret })],
    ["deep in aggregates that share it", () => aggregate(60, withSecret)],
    ["in a symbol's member", () => carrying({ [Symbol("s")]: secret })],
    ["in an ArrayBuffer", () => carrying({ b: new TextEncoder().encode(secret).buffer })],
    ["in numbers of two bytes", () => carrying({ b: new Uint16Array(twoBytes(secret)) })],
    ["in a boxed text", () => carrying({ b: Object(secret) as unknown })],
    ["in the key of a map", () => carrying({ m: new Map([[secret, 1]]) })],
  ])("do not reveal it: %s", (_, make) => {
    const { error, values } = search(make());
    expect(causes(error).join("\n")).not.toContain(secret);
    expect(error.cause).not.toMatchObject({ cause: { cause: secret } });
    expect(JSON.stringify(error.cause)).not.toContain(secret);
    expect(causes(error).length).toBeLessThanOrEqual(defaultErrorLimits.maxCauses);
    expect(values).toBeLessThan(10_000);
  });

  test("do not affect the causes below it", () => {
    const below = new Error("clean");
    const { error } = search(new Error(secret, { cause: below }));
    expect((error.cause as Error).cause).toBe(below);
    expect(causes(error).join("\n")).not.toContain(secret);
  });
});

describe("the members of an error are searched with bounded work", () => {
  test.each<[string, () => unknown]>([
    ["a chain of 20,000 causes", () => chain(20_000, undefined)],
    ["an object of 20,000 members", () => carrying(Object.fromEntries(numbered(20_000)))],
    ["a list of 4 billion holes", () => carrying({ list: Object.assign([], { length: 4e9 }) })],
    ["a list of a million items", () => carrying({ list: Array.from({ length: 1e6 }) })],
    ["a linked list of 100,000", () => carrying({ list: linked(100_000) })],
    ["a map of 20,000", () => carrying({ map: new Map(numbered(20_000)) })],
    ["a text of 10 million characters", () => carrying({ text: "x".repeat(1e7) })],
    ["a stack of 10 million characters", () => carrying({ stack: "x".repeat(1e7) })],
    ["bytes of 10 MB", () => carrying({ bytes: new Uint8Array(1e7) })],
    ["numbers of 80 MB", () => carrying({ numbers: new Float64Array(1e7) })],
    ["a boxed text of 10 million", () => carrying({ text: Object("x".repeat(1e7)) as unknown })],
    ["a number of a million bits", () => carrying({ number: 1n << 1_000_000n })],
    ["causes that are created when they are read", () => new EndlessError("one of many")],
    ["a getter that throws", () => carrying({ member: throwing() })],
    ["a proxy that cannot be read", () => carrying({ proxy: revoked() })],
  ])("and withheld above the limit: %s", (_, make) => {
    const maxWork = 5000;
    const { given, error, values, characters } = search(make(), { maxWork });
    expect(error === given).toBe(false);
    expect(error.message).toBe("it failed");
    expect(values).toBeLessThan(1.1 * maxWork);
    expect(characters).toBeLessThan(80 * maxWork + 20 * defaultErrorLimits.maxTextLength);
  });

  test("a host can read what is within a smaller budget, and no more", () => {
    const cause = chain(10, carrying({ list: [1, 2, 3] }));
    expect(search(cause, { maxWork: 1000 }).error.cause).toBe(cause);
    const { error, values } = search(cause, { maxWork: 50, maxCauses: 3 });
    expect(causes(error)).toHaveLength(3);
    expect(values).toBeLessThan(80);
  });
});

describe("an error's body and message", () => {
  const redact = { secrets: [secret] };
  const thrown = async (error: ToolError) => {
    const execute = (): never => {
      throw error;
    };
    return failed(await executorFor(tool("t", execute), { redact }).execute(call("t"))).error;
  };

  test.each<[string, () => unknown]>([
    ["that shares its parts", () => bomb(60)],
    ["that is cyclic", circle],
    ["of 4 billion holes", () => Object.assign([], { length: 4e9 })],
    ["that is too deep", () => linked(100_000)],
    ["that throws when it is read", () => throwing()],
  ])("become JSON of bounded size: a body %s", async (_, make) => {
    const error = await thrown(new ToolError("upstream", "no", { body: make() as never }));
    expect(error.code).toBe("upstream");
    expect(JSON.stringify(error.body).length).toBeLessThan(3e6);
  });

  test("are unchanged if they are ordinary", async () => {
    const error = new ToolError("upstream", "no", { body: { code: 5, errors: ["a"] } });
    expect(await thrown(error)).toBe(error);
  });

  test("of several million characters are truncated, and reveal no half of a secret", async () => {
    const { maxMessageLength } = defaultErrorLimits;
    const long = "x".repeat(maxMessageLength - 8) + secret.repeat(100_000);
    const error = await thrown(new ToolError("upstream", long));
    expect(error.message.length).toBeLessThanOrEqual(maxMessageLength);
    expect(error.message).not.toContain(secret.slice(0, 6));
    const many = await thrown(new ToolError("upstream", `${secret} `.repeat(200_000)));
    expect(many.message).not.toContain(secret.slice(0, 6));
  });
});

class EndlessError extends Error {
  override get cause(): unknown {
    return new EndlessError(this.message);
  }
}

function numbered(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`key ${index}`, index]);
}

function linked(length: number): object {
  let at: object = {};
  for (let index = 0; index < length; index++) at = { next: at };
  return at;
}

function circle(): object {
  const at: Record<string, unknown> = {};
  at["me"] = [at, at];
  return at;
}

function twoBytes(text: string): ArrayBuffer {
  const padded = new TextEncoder().encode(text.length % 2 === 0 ? text : `${text} `);
  return padded.buffer;
}

function throwing(): object {
  const get = (): never => {
    throw new Error("not to be read");
  };
  return Object.defineProperty({}, "a", { get, enumerable: true });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
