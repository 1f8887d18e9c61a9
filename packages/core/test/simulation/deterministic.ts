import { afterAll, beforeAll, vi } from "vitest";
import { instantCrypto } from "./instant-crypto.ts";

/** The tests of this file do not depend on other threads: hashing takes no time. */
export function makeDeterministic(): void {
  beforeAll(() => void vi.stubGlobal("crypto", instantCrypto()));
  afterAll(() => void vi.unstubAllGlobals());
}
