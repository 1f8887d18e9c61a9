import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes that are in use after what can be collected has been. */
export function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
