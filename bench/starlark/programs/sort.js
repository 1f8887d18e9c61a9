function run() {
  let seed = 42;
  const numbers = [];
  for (let n = 0; n < 50000; n++) {
    // Only the low bits of the product count.
    seed = ((Math.imul(seed, 1103515245) + 12345) >>> 0) % 2147483648;
    numbers.push(seed);
  }
  const ascending = [...numbers].sort((x, y) => x - y);
  const descending = [...numbers].sort((x, y) => (y % 1000) - (x % 1000));
  const part = numbers.slice(0, 400);
  for (let i = 1; i < part.length; i++) {
    const value = part[i];
    let position = i;
    for (let j = i - 1; j >= 0; j--) {
      if (part[j] <= value) break;
      part[j + 1] = part[j];
      position = j;
    }
    part[position] = value;
  }
  return [ascending[0], ascending[25000], descending[0] % 1000, part[0], part[399]];
}
run();
