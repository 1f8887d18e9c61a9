import { checkBlocks } from "../calling/sample-answers.ts";
import { check, type Check } from "../context/check.ts";
import {
  annotationsFault,
  mediaFault,
  misnamedFault,
  resourceFault,
  uriFault,
} from "../reading/block-faults.ts";

/** What the blocks of an answer hold. */
export const blockChecks: readonly Check[] = [
  check("TW-RESULT-005", (context) =>
    checkBlocks(context, "Looked at each image and sound", ["image", "audio"], mediaFault),
  ),

  check("TW-RESULT-006", (context) =>
    checkBlocks(context, "Looked at what each resource holds", ["resource"], resourceFault),
  ),

  check("TW-RESULT-007", (context) =>
    checkBlocks(context, "Parsed each uri", ["resource_link", "resource"], uriFault),
  ),

  check("TW-RESULT-011", (context) =>
    checkBlocks(
      context,
      "Looked at the annotations of each block",
      ["text", "image", "audio", "resource_link", "resource"],
      annotationsFault,
    ),
  ),

  check("TW-RESULT-013", (context) =>
    checkBlocks(
      context,
      "Compared media types with how the bytes begin",
      ["image", "audio", "resource"],
      misnamedFault,
    ),
  ),
];
