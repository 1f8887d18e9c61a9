import * as sdk from "ai-v6";
import { MockLanguageModelV3 } from "ai-v6/test";
import { vi } from "vitest";
import { testSdk, type SdkUnderTest } from "./sdk-suite.ts";

// The sources of the package import this version in place of the one that the workspace has.
vi.mock("ai", () => import("ai-v6"));

testSdk({ ...sdk, major: 6, MockModel: MockLanguageModelV3 } as unknown as SdkUnderTest);
