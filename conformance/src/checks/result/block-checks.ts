import { checkBlocks } from "../../calls/sample-answers.ts";
import { defineCheck, type Check } from "../../context/check.ts";
import {
  findAnnotationsFault,
  findMediaFault,
  findMediaTypeFault,
  findResourceFault,
  findUriFault,
} from "../../faults/block-faults.ts";

/** Checks of the content blocks of results. */
export const blockChecks: readonly Check[] = [
  defineCheck("TW-RESULT-005", (context) =>
    checkBlocks(context, "Checked each image and audio block", ["image", "audio"], findMediaFault),
  ),

  defineCheck("TW-RESULT-006", (context) =>
    checkBlocks(context, "Checked the contents of each resource", ["resource"], findResourceFault),
  ),

  defineCheck("TW-RESULT-007", (context) =>
    checkBlocks(context, "Parsed each uri", ["resource_link", "resource"], findUriFault),
  ),

  defineCheck("TW-RESULT-011", (context) =>
    checkBlocks(
      context,
      "Checked the annotations of each block",
      ["text", "image", "audio", "resource_link", "resource"],
      findAnnotationsFault,
    ),
  ),

  defineCheck("TW-RESULT-013", (context) =>
    checkBlocks(
      context,
      "Compared media types with the first bytes",
      ["image", "audio", "resource"],
      findMediaTypeFault,
    ),
  ),
];
