import type { ToolSource } from "@toolweave/core";
import type { McpServer, McpSource } from "@toolweave/mcp";
import type { OpenApiSource } from "@toolweave/openapi";

/** A source of a configuration, by its name there. */
export type ConfiguredSource =
  | {
      readonly kind: "mcp";
      readonly name: string;
      readonly source: McpSource;
      /** The options from which it was made; its values are resolved, and may be secret. */
      readonly server: McpServer;
    }
  | { readonly kind: "openapi"; readonly name: string; readonly source: OpenApiSource }
  | {
      /** The tools of a module, or a source that it exports. Its name is the path in the file. */
      readonly kind: "module";
      readonly name: string;
      readonly source: ToolSource;
    }
  | {
      /** A source that refers to environment variables which are not set. Its `ready` rejects. */
      readonly kind: "incomplete";
      readonly name: string;
      readonly source: ToolSource;
      /** A sentence for each reference, with its place and the remedy. */
      readonly problems: readonly string[];
    }
  | {
      /** The tools for files and commands: `workspace` of the configuration. */
      readonly kind: "workspace";
      readonly name: string;
      readonly source: ToolSource;
    }
  | {
      /** The tools of markdown files, and of scripts in the configuration; or those of skills. */
      readonly kind: "markdown" | "skills";
      readonly name: string;
      readonly source: ToolSource;
    }
  | {
      /** Built-in tools: a group of `builtin` of the configuration. */
      readonly kind: "builtin";
      readonly name: string;
      readonly source: ToolSource;
    }
  | {
      /** One tool: the agent. */
      readonly kind: "agent";
      readonly name: string;
      readonly source: ToolSource;
    };
