import { parentPort, workerData } from "node:worker_threads";
import { Jail } from "../jail/jail.ts";
import { JailError } from "../jail/jail-error.ts";
import type { PathRules, WorkspaceRoot } from "../jail/path-rules.ts";
import { searchTree, type SearchRequest, type SearchResult } from "./search-tree.ts";

/** The data with which the thread is started. */
export interface SearchWorkerData {
  readonly roots: readonly WorkspaceRoot[];
  readonly rules: PathRules;
}

/** The answer of the thread to a request. */
export type SearchAnswer =
  | { readonly result: SearchResult }
  | { readonly fault: JailError["fault"] }
  | { readonly invalidPattern: string }
  | { readonly failure: string };

const { roots, rules } = workerData as SearchWorkerData;
const jail = new Jail(roots, rules);

parentPort?.on("message", (request: SearchRequest) => {
  parentPort?.postMessage(answer(request));
});

function answer(request: SearchRequest): SearchAnswer {
  try {
    return { result: searchTree(jail, request) };
  } catch (error) {
    if (error instanceof JailError) return { fault: error.fault };
    if (error instanceof SyntaxError) return { invalidPattern: error.message };
    return { failure: (error as Error).message };
  }
}
