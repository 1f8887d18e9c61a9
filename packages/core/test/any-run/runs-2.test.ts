import { anyRuns } from "./any-run.ts";

anyRuns(2500, 2);
