function run() {
  let total = 0;
  for (let n = 0; n < 1000; n++) {
    let a = 0,
      b = 1;
    for (let i = 0; i < 1000; i++) {
      const c = (a + b) % 1000003;
      a = b;
      b = c;
    }
    total = (total + a) % 1000003;
  }
  return total;
}
run();
