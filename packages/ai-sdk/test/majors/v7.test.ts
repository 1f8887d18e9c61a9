import * as sdk from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { testSdk, type SdkUnderTest } from "./sdk-suite.ts";

testSdk({ ...sdk, major: 7, MockModel: MockLanguageModelV4 } as unknown as SdkUnderTest);
