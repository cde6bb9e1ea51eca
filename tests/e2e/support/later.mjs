// Loaded into a test server: each SIGUSR2 advances the clock by 70 seconds.
const now = Date.now;
let passed = 0;
Date.now = () => now() + passed;
process.on("SIGUSR2", () => {
  passed += 70_000;
  console.log(`passed ${passed}`);
});
