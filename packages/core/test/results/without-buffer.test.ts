import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { latin1 } from "../../src/redaction/secret-patterns.ts";
import { base64ToBytes, bytesToBase64 } from "../../src/text/base64.ts";

afterEach(() => vi.unstubAllGlobals());

test("bytes are serialized in the same way if there is no Buffer", () => {
  const big = new Uint8Array(100_001).map((_, index) => (index * 7919) >> 3);
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(big)), (bytes) => {
      vi.unstubAllGlobals();
      const [base64, text] = [bytesToBase64(bytes), latin1(bytes)];
      expect(base64).toBe(Buffer.from(bytes).toString("base64"));
      vi.stubGlobal("Buffer", undefined);
      expect(bytesToBase64(bytes)).toBe(base64);
      expect(latin1(bytes)).toBe(text);
      expect(base64ToBytes(base64)).toEqual(new Uint8Array(bytes));
    }),
  );
});
