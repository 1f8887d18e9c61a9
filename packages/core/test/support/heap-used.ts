import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The bytes that are in use after garbage collection. */
export function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
