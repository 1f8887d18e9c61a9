import { inFullRun } from "@toolweave/test-support";
import { anyRuns } from "./any-run.ts";

anyRuns(inFullRun(10_000, 375), 1);
