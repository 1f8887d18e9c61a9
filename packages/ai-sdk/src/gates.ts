import type { CallGate } from "./call-gate.ts";

/** The gates that admit the calls of tools that `aiTools` has made. */
export const gates: WeakMap<object, CallGate> = new WeakMap();
