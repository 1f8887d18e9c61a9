function run() {
  const parts = [];
  for (let i = 0; i < 100000; i++) parts.push(`item-${i}:${"x"}`);
  const text = parts.join(",");
  let count = 0;
  for (const part of text.split(",")) {
    if (part.endsWith("7:x")) count += part.toUpperCase().replaceAll("ITEM", "thing").length;
  }
  let line = "";
  for (let i = 0; i < 20000; i++) line += "ab";
  return [text.length, count, line.length];
}
run();
