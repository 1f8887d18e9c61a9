import { conformance } from "../src/vitest.ts";
import { sourceManifest, toolsManifest } from "./fixtures.ts";

conformance(toolsManifest());
conformance(sourceManifest());
