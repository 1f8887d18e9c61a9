import * as sdk from "ai-v5";
import { MockLanguageModelV2 } from "ai-v5/test";
import { vi } from "vitest";
import { testSdk, type SdkUnderTest } from "./sdk-suite.ts";

// The sources of the package import this version in place of the one that the workspace has.
vi.mock("ai", () => import("ai-v5"));

testSdk({ ...sdk, major: 5, MockModel: MockLanguageModelV2 } as unknown as SdkUnderTest);
