function run() {
  const records = [];
  for (let i = 0; i < 5000; i++) {
    records.push({
      id: i,
      name: `user ${i}`,
      tags: ["a", "b", String(i % 10)],
      score: i * 1.5,
      active: i % 2 === 0,
    });
  }
  const decoded = JSON.parse(JSON.stringify(records));
  let total = 0;
  for (const record of decoded) {
    record.total = record.id + record.tags.length;
    total += record.total;
  }
  return [total, JSON.stringify(decoded).length > 0];
}
run();
