/**
 * Returns the folder of the program's own files: packages, pages, route modules. It is the working folder, except in
 * the shipped program, which runs from any folder and sets this symbol.
 */
export function findProgramFolder(): string {
  const { [Symbol.for("roundup.program-folder")]: shippedFolder } = globalThis as { [key: symbol]: unknown };
  return (shippedFolder as string | undefined) ?? process.cwd();
}
