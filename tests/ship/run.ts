import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * Runs the shipped program with the commands of deploy/Dockerfile and deploy/roundup.service: on a read-only tree, as an
 * unprivileged user, in an empty folder. Run: npm run build:ship && npm run test:ship
 *
 * Not run here, because they need a container registry or systemd: the image's build, compose, Caddy, the unit's
 * sandboxing.
 */

/** User and group id of the unprivileged user. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const folder = await mkdtemp(join(tmpdir(), "ship-"));
const ship = join(folder, "opt-roundup");
const running = new Set<ChildProcess>();

const dockerfile = await readFile("deploy/Dockerfile", "utf8");
const unit = await readFile("deploy/roundup.service", "utf8");
const parseJsonAfter = (pattern: RegExp) => JSON.parse(pattern.exec(dockerfile)![1]!) as string[];
const CONTAINER_COMMAND = parseJsonAfter(/^CMD (\[.*\])$/m);
const HEALTH_CHECK = parseJsonAfter(/^HEALTHCHECK .* CMD (\[.*\])$/m);
const SERVICE_COMMAND = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(" ");
const RELOAD_COMMAND = /^ExecReload=(.*)$/m.exec(unit)![1]!.split(" ");

try {
  await chmod(folder, 0o755);
  await cp("dist/ship", ship, { recursive: true });
  await changeMode(ship, 0o555, 0o444);
  await testCommand("the container's command", CONTAINER_COMMAND, "38211");
  await testCommand("the unit's command", SERVICE_COMMAND, "38212");
} finally {
  for (const child of running) child.kill("SIGKILL");
  await changeMode(ship, 0o755, 0o644);
  await rm(folder, { recursive: true, force: true });
}

async function testCommand(name: string, command: string[], port: string): Promise<void> {
  const cwd = await mkdtemp(join(folder, "empty-"));
  if (isRoot) await chown(cwd, NOBODY, NOBODY);
  const env = { PORT: port, DATA_DIR: cwd, SANDBOX_PORT: "0", SANDBOX_PRICES: "fixed", DRAIN_SECONDS: "0" };
  const started = performance.now();
  const service = runCommand(command, { cwd, env });
  const url = `http://127.0.0.1:${port}`;
  assert.equal(await waitForStatus(`${url}/api/plans`, service.child), 200);
  console.log(`${name}: first answer after ${((performance.now() - started) / 1000).toFixed(1)} s`);
  for (const path of ["/", "/docs", "/api/price", "/api/health?probe=ready"])
    assert.equal((await fetch(url + path)).status, 200, path);
  assert.equal(await runCommand(HEALTH_CHECK, { cwd, env }).ended, 0, "the health check of a running service");
  const reload = RELOAD_COMMAND.map((word) => word.replace("$MAINPID", String(service.child.pid)));
  assert.equal(await runCommand(reload, { cwd, env }).ended, 0, "reload");
  const backup = ["node", "/opt/roundup/operator.mjs", "backup", "copy"];
  assert.equal(await runCommand(backup, { cwd, env }).ended, 0, "a backup of the running service");
  assert.deepEqual((await readdir(join(cwd, "copy"))).sort(), ["backup.json", "data.mdb"]);
  assert.equal((await fetch(`${url}/api/plans`)).status, 200);
  service.child.kill("SIGTERM");
  assert.equal(await service.ended, 0, service.output());
  assert.equal(await runCommand(HEALTH_CHECK, { cwd, env }).ended, 1, "the health check of a stopped service");
}

function runCommand(command: string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const [program = "", ...args] = command.map((word) => word.replace("/opt/roundup", ship));
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  running.add(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, ended, output: () => text };
}

async function waitForStatus(url: string, child: ChildProcess): Promise<number> {
  for (let end = Date.now() + 120_000; Date.now() < end && child.exitCode === null; ) {
    const response = await fetch(url).catch(() => null);
    if (response) return response.status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no answer from ${url}`);
}

async function changeMode(folder: string, folders: number, files: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    entries
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? folders : files)),
  );
  await chmod(folder, folders);
}
