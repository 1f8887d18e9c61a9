export * from "@toolweave/test-support/recording-server";
