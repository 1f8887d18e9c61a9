import { expect, test } from "vitest";
import { ToolExecutor, ToolRegistry } from "../../src/index.ts";

const secret = "fixture-secret-9f8e7d6c5b4a";
const registry = new ToolRegistry([]);
const executor = new ToolExecutor({ registry, redact: { secrets: [secret] } });
const plain = new ToolExecutor({ registry, redact: false });

test("a secret that several parts of a text contain together is masked", () => {
  const parts = ["before ", secret.slice(0, 9), secret.slice(9), " after"];
  const redacted = executor.redactParts(parts);
  expect(redacted).toHaveLength(4);
  expect(redacted.join("")).not.toMatch(/fixture|5b4a/);
  expect([redacted[0], redacted[3]]).toEqual(["before ", " after"]);
  expect(plain.redactParts(parts)).toBe(parts);
});

test("bytes are redacted by their type: masks in a text, overwritten elsewhere", () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const text = executor.redactBytes(encode(`a ${secret} b`), "text/plain");
  expect(new TextDecoder().decode(text)).toBe("a [redacted] b");
  const bytes = Uint8Array.of(0, 0xff, ...encode(secret), 0);
  const binary = executor.redactBytes(bytes, "image/png");
  expect(Buffer.from(binary).toString("latin1")).toBe(`\0\xff${"*".repeat(secret.length)}\0`);
  const clean = Uint8Array.of(1, 2, 3);
  expect(executor.redactBytes(clean, "image/png")).toBe(clean);
  expect(plain.redactBytes(bytes, "image/png")).toBe(bytes);
});
