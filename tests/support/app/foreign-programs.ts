import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const runFile = promisify(execFile);

export type ForeignPrograms = Awaited<ReturnType<typeof installForeignPrograms>>;

/**
 * Installs the packages of `tests/foreign/<name>/` below tests/.tmp, and copies the programs there. The packages of two
 * folders may contradict each other, and none belongs to this project. Needs the npm registry once for each lock file.
 */
export async function installForeignPrograms(name: string) {
  const folder = `tests/.tmp/foreign/${name}`;
  const installedLock = join(folder, "installed-lock.json");
  await mkdir(folder, { recursive: true });
  await cp(`tests/foreign/${name}`, folder, { recursive: true });
  const lock = await readFile(join(folder, "package-lock.json"), "utf8");
  if ((await readFile(installedLock, "utf8").catch(() => "")) !== lock) {
    await runFile("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
    await writeFile(installedLock, lock);
  }
  return {
    folder,
    /** Runs Node in the folder. @returns its standard output @throws Error with all output if it fails */
    async run(args: string[], node = process.execPath): Promise<string> {
      const result = await runFile(node, args, { cwd: folder, maxBuffer: 2 ** 26 }).catch(
        (failure: { stdout: string; stderr: string }) => failure,
      );
      if (result instanceof Error) throw new Error(`${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
      return result.stdout;
    },
  };
}
