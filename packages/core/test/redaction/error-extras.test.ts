import { describe, expect, test } from "vitest";
import { ToolError, type ToolOutcome } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const secret = "tok_4f9a0c2b7d1e";
const redact = { secrets: [secret] };

/** The result of a call whose tool throws the given error. */
async function thrown(error: unknown): Promise<ToolOutcome> {
  const execute = (): never => {
    throw error;
  };
  return executorFor(tool("t", execute), { redact }).execute(call("t"));
}

/** Every readable member, getters included. */
function all(value: unknown, seen: Set<unknown> = new Set()): string {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return String(value);
  }
  if (seen.has(value)) return "";
  seen.add(value);
  const own = value instanceof URL ? value.href : "";
  const json = (value as { toJSON?: () => unknown }).toJSON?.();
  const members = Reflect.ownKeys(value).map((key) => Reflect.get(value, key) as unknown);
  return [own, ...[json, ...members].map((one) => all(one, seen))].join(" ");
}

const upstream = (): ToolError => new ToolError("upstream", "It said no.");

describe("SE02: a secret that an error has outside of its message", () => {
  test.each<[string, () => object]>([
    ["a member", () => Object.assign(upstream(), { config: { headers: { a: secret } } })],
    ["a symbol's member", () => Object.assign(upstream(), { [Symbol("a")]: secret })],
    ["a toJSON of its own", () => Object.assign(upstream(), { toJSON: () => ({ a: secret }) })],
    ["an invalid status", () => new ToolError("upstream", "x", { status: secret as never })],
    ["a getter", () => Object.defineProperty(upstream(), "config", { get: () => secret })],
    [
      "a getter of its cause",
      () => Object.defineProperty(new Error("x"), "a", { get: () => secret }),
    ],
    ["a getter in its cause", () => Object.assign(new Error("x"), { a: withGetter() })],
    ["a URL", () => Object.assign(new Error("x"), { url: new URL(`https://h/?k=${secret}`) })],
    ["a map with members", () => Object.assign(new Error("x"), { m: mapWith(secret) })],
    ["a function with members", () => Object.assign(() => {}, { secret })],
  ])("is redacted in %s", async (_, make) => {
    const { error } = failed(await thrown(make()));
    expect(all(error)).not.toContain(secret);
    expect(["upstream", "execution_failed"]).toContain(error.code);
  });

  test("is redacted in an error that returns something else each time it is read", async () => {
    let asked = 0;
    const get = (): string => ((asked += 1) < 20 ? "It said no." : secret);
    const { error } = failed(await thrown(Object.defineProperty(upstream(), "message", { get })));
    for (let time = 0; time < 30; time++) expect(error.message).not.toContain(secret);
  });

  test("is redacted in the error of an answer, too", async () => {
    const error = Object.assign(upstream(), { config: secret });
    const answer = { content: [], isError: true, error };
    const outcome = await executorFor(
      tool("t", () => answer),
      { redact },
    ).execute(call("t"));
    expect(all(completed(outcome).error)).not.toContain(secret);
  });

  test("an error without a secret is unchanged, whatever it has besides its message", async () => {
    const error = Object.assign(upstream(), { config: { retries: 3, at: new Date() } });
    expect(failed(await thrown(error)).error).toBe(error);
    const cause = Object.assign(new TypeError("x"), { code: "ECONNRESET", list: [() => {}] });
    expect(failed(await thrown(cause)).error.cause).toBe(cause);
  });
});

function withGetter(): object {
  return {
    get b() {
      return secret;
    },
  };
}

function mapWith(value: string): Map<string, string> {
  return Object.assign(new Map<string, string>(), { value });
}
