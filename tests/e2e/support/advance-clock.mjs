// Loaded into a test server: each SIGUSR2 advances the clock by 70 seconds.
const now = Date.now;
let advancedMs = 0;
Date.now = () => now() + advancedMs;
process.on("SIGUSR2", () => {
  advancedMs += 70_000;
  console.log(`passed ${advancedMs}`);
});
