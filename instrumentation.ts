/** Validates the configuration when Next runs without server.ts. A process that cannot serve stops here. */
export async function register(): Promise<void> {
  // Next replaces this condition at build time, which keeps Node's modules out of the edge bundle.
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startUnderNext } = await import("./lib/start-checks");
  await startUnderNext();
}
