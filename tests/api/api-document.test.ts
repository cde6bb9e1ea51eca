import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { CONTRACTS } from "../../lib/contracts";
import { startCallerProxy } from "../support/app/caller-proxy";
import { recordSecret } from "../support/client/client";
import { publishedVectors } from "../support/fixtures/service-wallet-vectors";
import { createFolderForTest } from "../support/store/temp-folder";

const runFile = promisify(execFile);
const apiDocument = await readFile("docs/api.md", "utf8");

const rows = [...apiDocument.matchAll(/^\| (GET|POST|DELETE) \| `(\/api\/\S+)` \| [^|]+ \| `(curl .+)` \|$/gm)].map(
  ([, method = "", path = "", curl = ""]) => ({ method, path, curl }),
);

async function runWalletScript(): Promise<string> {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
  const [program, ...args] = scripts.wallet.split(" ");
  expect(program).toBe("node");
  const { stdout } = await runFile(process.execPath, [...args, await startCallerProxy()]);
  const readExported = (name: string) => new RegExp(`^export ${name}='(.+)'$`, "m").exec(stdout)![1]!;
  recordSecret(Buffer.from(readExported("SIGNATURE"), "base64"));
  recordSecret(Uint8Array.from(JSON.parse(readExported("KEYPAIR"))).subarray(0, 32));
  return stdout;
}

test("every curl command of the table runs unchanged after the line that creates a wallet", async () => {
  expect(apiDocument).toContain('eval "$(npm run -s wallet)"');
  const exports = await runWalletScript();
  expect(rows.length).toBe(CONTRACTS.length);
  for (const { method, path, curl } of rows) {
    const { stdout } = await runFile("bash", ["-c", `${exports}\n${curl}`]);
    const answer = JSON.parse(stdout);
    // Only the OpenAPI document has no envelope.
    if (path === "/api/openapi.json") expect(answer.openapi).toBe("3.1.0");
    else expect(answer, `${method} ${path}: ${curl}`).toMatchObject({ ok: true, data: expect.any(Object) });
  }
});

test("the key-file line writes a file that the command accepts", async () => {
  const [line] = /^echo "\$KEYPAIR" > id\.json/m.exec(apiDocument)!;
  const folder = createFolderForTest();
  const command = `node --import tsx lib/cli/main.ts status --json --url $BASE --origin sandbox --keypair ${folder}/id.json`;
  const script = `${await runWalletScript()}\n(cd ${folder} && ${line})\necho $WALLET\n${command}`;
  const { stdout } = await runFile("bash", ["-c", script], { env: { ...process.env, XDG_STATE_HOME: folder } });
  const [wallet, ...answer] = stdout.split("\n");
  expect(JSON.parse(answer.join("\n"))).toMatchObject({ walletAddress: wallet, prices: expect.any(Object) });
});

test("the document describes the derivation with the salt and info of the published vectors", () => {
  expect(apiDocument).toContain(`salt = "${publishedVectors.salt}", info = "${publishedVectors.info}"`);
});
