import * as sdk from "ai";

/**
 * The major version of the installed SDK, by its exports: it exports no version. Version 5 gives a tool's output to
 * `toModelOutput` as it is, and has no approvals. Versions 5 and 6 name files in results otherwise than version 7, and
 * the context of a call.
 */
export const sdkMajor: 5 | 6 | 7 = "isStepCount" in sdk ? 7 : "ToolLoopAgent" in sdk ? 6 : 5;
