import type { Tool } from "@toolweave/core";
import type { Workspace } from "../tools/workspace.ts";
import { execRunTool } from "./exec-run.ts";
import { fsCopyTool, fsMoveTool } from "./fs-copy.ts";
import { fsDiffTool } from "./fs-diff.ts";
import { fsEditTool } from "./fs-edit.ts";
import { fsFindTool } from "./fs-find.ts";
import { fsGlobTool, fsListTool } from "./fs-list.ts";
import { fsReadTool, fsStatTool } from "./fs-read.ts";
import { fsRemoveTool } from "./fs-remove.ts";
import { fsMkdirTool, fsWriteTool } from "./fs-write.ts";

/** Tools that run programs. */
export const runningTools: readonly ((workspace: Workspace) => Tool)[] = [execRunTool];

/** Tools that read. */
export const readingTools: readonly ((workspace: Workspace) => Tool)[] = [
  fsDiffTool,
  fsFindTool,
  fsGlobTool,
  fsListTool,
  fsReadTool,
  fsStatTool,
];

/** Tools that change files. */
export const writingTools: readonly ((workspace: Workspace) => Tool)[] = [
  fsCopyTool,
  fsEditTool,
  fsMkdirTool,
  fsMoveTool,
  fsRemoveTool,
  fsWriteTool,
];
