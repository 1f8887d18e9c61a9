import type { JsonObject, JsonSchema } from "@toolweave/core";
import type { RequestValues } from "./oracle.ts";

/** An operation, as the document writes it. */
export interface DocumentOperation {
  readonly method: string;
  readonly path: string;
}

/** One operation as a contender offers it to a model. */
export interface OfferedTool {
  /** The operation. Absent if a contender does not name it: then its request does. */
  readonly operation?: DocumentOperation;
  readonly inputSchema: JsonSchema;
  /** Calls it. Rejects, or not, if no request was made; the answer does not matter. */
  call(args: JsonObject): Promise<unknown>;
  /** Returns the values of a call by the names of the document. */
  toValues?(args: JsonObject): RequestValues;
}

/** The tools of one document. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  close(): Promise<void>;
}

/** An implementation that makes tools of OpenAPI documents: ours, or another. */
export interface Contender {
  readonly name: string;
  /**
   * Makes the tools of a document.
   *
   * @param path of the file.
   * @param origin the destination of the calls.
   */
  open(path: string, origin: string): Promise<OfferedTools>;
}
