import { inFullRun } from "@toolweave/test-support";
import { simulateRuns } from "./simulate.ts";

simulateRuns(inFullRun(10_000, 375), 1);
