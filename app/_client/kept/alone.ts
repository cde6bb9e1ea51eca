/** Runs the task unless a tab of this browser runs one of the same name. @returns whether it ran */
export async function alone(name: string, task: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) {
    await task();
    return true;
  }
  return navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await task();
    return lock !== null;
  });
}
