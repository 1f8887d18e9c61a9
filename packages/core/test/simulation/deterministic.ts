import { afterAll, beforeAll, vi } from "vitest";
import { instantCrypto } from "./instant-crypto.ts";

/** Nothing in this file's tests depends on what other threads are doing: hashing takes no time. */
export function makeDeterministic(): void {
  beforeAll(() => void vi.stubGlobal("crypto", instantCrypto()));
  afterAll(() => void vi.unstubAllGlobals());
}
