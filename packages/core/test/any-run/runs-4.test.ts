import { inFullRun } from "@toolweave/test-support";
import { anyRuns } from "./any-run.ts";

anyRuns(inFullRun(25_000, 375), 4);
