/** Behind Next alone there is no server.ts to check the configuration, so a process that cannot serve stops here. */
export async function register(): Promise<void> {
  // Next replaces this at build time; it keeps Node's modules out of the edge bundle.
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { checkBoot } = await import("./lib/boot");
  await checkBoot();
}
