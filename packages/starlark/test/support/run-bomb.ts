import { getHeapStatistics } from "node:v8";
import { compile, json, load, StarlarkError } from "../../src/index.ts";
import { bombs } from "./bombs.ts";

const dialect = {
  while: true,
  set: true,
  topLevelControl: true,
  globalReassign: true,
  recursion: true,
} as const;

/** The end of a bomb: the code of its error, or what else happened, and the bytes that the heap grew. */
export interface BombResult {
  readonly end: string;
  readonly growthBytes: number;
}

function heapBytes(): number {
  return getHeapStatistics().used_heap_size + process.memoryUsage().external;
}

/** Runs a bomb with 64 MiB and a number of steps or a time. */
export async function runBomb(
  name: string,
  limits: { readonly maxSteps?: number; readonly timeoutMs?: number },
): Promise<BombResult> {
  globalThis.gc?.();
  const before = heapBytes();
  const program = compile(bombs[name] as string, { file: name, dialect, predeclared: ["json"] });
  let end = "finished";
  try {
    const host = { predeclared: { json }, print: (): void => undefined };
    await load(program, { ...host, maxMemoryBytes: 64 * 1024 * 1024, ...limits });
  } catch (error) {
    end = error instanceof StarlarkError ? error.code : `not ours: ${(error as Error).stack}`;
  }
  return { end, growthBytes: heapBytes() - before };
}
