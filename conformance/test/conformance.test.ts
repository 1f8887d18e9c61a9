import { conformance } from "../src/vitest.ts";
import { sourceManifest, toolsManifest } from "./fixtures/index.ts";

conformance(toolsManifest());
conformance(sourceManifest());
