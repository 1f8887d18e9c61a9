import type { CallGate } from "./call-gate.ts";

/** Who admits the calls of a tool that `aiTools` has made. */
export const gates: WeakMap<object, CallGate> = new WeakMap();
