/**
 * Returns the folder of the program's own files: packages, pages, route modules. The shipped program sets this symbol.
 */
export function findProgramFolder(): string {
  const { [Symbol.for("roundup.program-folder")]: shippedFolder } = globalThis as { [key: symbol]: unknown };
  return (shippedFolder as string | undefined) ?? process.cwd();
}
