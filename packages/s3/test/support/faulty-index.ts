import { ToolError } from "@toolweave/core";
import type { ArtifactIndex } from "@toolweave/core/stores";

/** `unsent`: the operation is not done, and fails. `lost`: it is done, and fails. */
export const indexFaults = ["unsent", "lost"] as const;

/** A fault of one operation. */
export interface IndexFault {
  readonly kind: (typeof indexFaults)[number];
  /** The operation with the fault, from 1. */
  readonly at: number;
  /** Later operations fail, too; they are not done. */
  readonly persists: boolean;
}

/** An index whose operations are counted, and one of which fails. */
export interface FaultyIndex extends ArtifactIndex {
  readonly operations: number;
}

/** Makes one operation of an index fail. */
export function faultyIndex(index: ArtifactIndex, fault: IndexFault | undefined): FaultyIndex {
  let operations = 0;
  const run = async <T>(work: () => PromiseLike<T> | T): Promise<T> => {
    const number = ++operations;
    if (fault === undefined || number < fault.at) return work();
    if (number > fault.at && !fault.persists) return work();
    if (number === fault.at && fault.kind === "lost") await work();
    throw new ToolError("store_unavailable", "The index cannot be reached.");
  };
  return {
    get operations() {
      return operations;
    },
    reserve: (...args) => run(() => index.reserve(...args)),
    renew: (...args) => run(() => index.renew(...args)),
    complete: (...args) => run(() => index.complete(...args)),
    get: (...args) => run(() => index.get(...args)),
    take: (...args) => run(() => index.take(...args)),
    takeExpired: (...args) => run(() => index.takeExpired(...args)),
    remove: (...args) => run(() => index.remove(...args)),
  };
}
