import { expect, test } from "vitest";
import { readElement, readElements } from "../src/bucket/xml.ts";

test.each([
  ["<Code>NoSuchKey</Code>", "NoSuchKey"],
  ["<Error><s3:Code>NoSuchKey</s3:Code></Error>", "NoSuchKey"],
  [
    '<ns0:Error xmlns:ns0="urn:s3">\n <ns0:Code >\n  NoSuchKey\n </ns0:Code >\n</ns0:Error>',
    "NoSuchKey",
  ],
  ['<Code lang="en">NoSuchKey</Code>', "NoSuchKey"],
  ["<Code><![CDATA[No<Such&Key]]></Code>", "No<Such&Key"],
  ["<Code>a&#x2F;b&#47;c&amp;d&none;</Code>", "a/b/c&d&none;"],
  ["<Code/>", undefined],
  ["<Codes>x</Codes>", undefined],
  ["<Code><Inner>x</Inner></Code>", undefined],
])("the text of an element is read in every way to write it: %s", (xml, text) => {
  expect(readElement(xml, "Code")).toBe(text);
});

test("the contents of all elements with a name are read, with and without prefixes", () => {
  const xml = "<a:Upload><Key>1</Key></a:Upload>\n<Upload x='1'><Key> 2 </Key></Upload><Uploads/>";
  expect(readElements(xml, "Upload").map((one) => readElement(one, "Key"))).toEqual(["1", "2"]);
});
