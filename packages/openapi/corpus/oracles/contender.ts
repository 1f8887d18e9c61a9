import type { JsonObject, JsonSchema } from "@toolweave/core";

/** An operation, as the document writes it. */
export interface DocumentOperation {
  readonly method: string;
  readonly path: string;
}

/** One operation as a contender offers it to a model. */
export interface OfferedTool {
  /** Which operation it is. Absent where a contender does not tell: then its request does. */
  readonly operation?: DocumentOperation;
  readonly inputSchema: JsonSchema;
  /** Calls it. Rejects, or not, when no request was made; the answer does not matter. */
  call(args: JsonObject): Promise<unknown>;
}

/** The tools of one document. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  close(): Promise<void>;
}

/** A way to make tools of OpenAPI documents: ours, or a peer's. */
export interface Contender {
  readonly name: string;
  /**
   * Makes the tools of a document.
   *
   * @param path of the file.
   * @param origin where the calls shall go.
   */
  open(path: string, origin: string): Promise<OfferedTools>;
}
