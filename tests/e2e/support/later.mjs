// Loaded into a server of the tests: each SIGUSR2 makes 70 seconds pass at once.
const now = Date.now;
let passed = 0;
Date.now = () => now() + passed;
process.on("SIGUSR2", () => {
  passed += 70_000;
  console.log(`passed ${passed}`);
});
