/** Spellings of this machine. */
export const loopbackHosts: readonly string[] = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "0",
  "①②⑦.⓪.⓪.①",
  "localhost",
  "localhost.",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
];

/** URLs that are none, or that no tool for the web opens. */
export const invalidUrls: readonly string[] = [
  "http://example.com\0.evil.test/",
  "http://example.com\r\nHost: evil.test/",
  "http://exa\tmple.com/",
  "http://user:password@example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1/",
  "//example.com/",
  "http://",
  `http://example.com/${"x".repeat(9_000)}`,
];

/** Hosts that hand out the credentials of a cloud. */
export const metadataHosts: readonly string[] = [
  "169.254.169.254",
  "metadata.google.internal",
  "[fd00:ec2::254]",
];
