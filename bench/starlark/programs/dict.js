function run() {
  const counts = new Map();
  for (let i = 0; i < 200000; i++) {
    const key = "k" + String(i % 5000);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // JavaScript has no tuples as keys: a text is the usual replacement.
  const pairs = new Map();
  for (let i = 0; i < 100000; i++) {
    const key = `${i % 300},${i % 7}`;
    if (pairs.has(key)) pairs.set(key, pairs.get(key) + 1);
    else pairs.set(key, 1);
  }
  return [counts.size, counts.get("k17"), pairs.size, pairs.get("3,3")];
}
run();
