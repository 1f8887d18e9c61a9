import { defineTool, ToolError, type Tool } from "@toolweave/core";
import { decodeText, detectFormat } from "../files/text-format.ts";
import { diffTexts } from "../files/unified-diff.ts";
import type { PermittedCall } from "../tools/open-paths.ts";
import { pathPermissions } from "../tools/path-permissions.ts";
import type { Workspace } from "../tools/workspace.ts";
import { failure, output, toPath } from "./effect-output.ts";
import { readAll } from "./read-all.ts";

/** The tool `fs_diff`: the difference of a file and another one, or a text. */
export function fsDiffTool(workspace: Workspace): Tool {
  return defineTool({
    name: "fs_diff",
    description:
      "The difference from a file to another one, or to a text, as a unified diff: { diff }; empty if they are the same.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1 },
        other: { type: "string", minLength: 1, description: "The path of the other file." },
        text: { type: "string" },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    preflight: ({ path, other, text }) => {
      checkOne(other, text);
      return [path, ...(other === undefined ? [] : [other])].flatMap((one) =>
        pathPermissions(workspace, one, "read"),
      );
    },
    execute: ({ path, other, text }, ctx) => {
      checkOne(other, text);
      const old = readText(workspace, ctx, path);
      const fresh =
        other === undefined
          ? { name: old.name, text: text ?? "" }
          : readText(workspace, ctx, other);
      const diff = diffTexts({
        old: old.text,
        fresh: fresh.text,
        oldName: old.name,
        freshName: fresh.name,
      });
      return output(diff === "" ? "There is no difference" : "There are differences", { diff });
    },
  });
}

/** @throws ToolError `invalid_arguments` unless there is exactly one of them. */
function checkOne(other: string | undefined, text: string | undefined): void {
  if ((other === undefined) === (text === undefined)) {
    throw new ToolError("invalid_arguments", "Give either other or text.");
  }
}

function readText(
  workspace: Workspace,
  call: PermittedCall,
  path: string,
): { readonly name: string; readonly text: string } {
  const { bytes, info } = readAll(workspace, call, path);
  const format = detectFormat(bytes);
  if (format === undefined) throw failure(`"${path}" is no text.`);
  return { name: toPath(workspace, info), text: decodeText(bytes, format) };
}
