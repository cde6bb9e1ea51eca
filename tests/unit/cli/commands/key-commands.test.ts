import { expect, test } from "vitest";
import { generateKeyContract } from "../../../../lib/contracts/generate-key";
import { listKeysContract } from "../../../../lib/contracts/list-keys";
import { createCliUser } from "../../../support/client/cli-user";

/** Creates a service with one API key, and records each request for keys or an airdrop. */
function createKeyService() {
  const { run, service } = createCliUser();
  const requests: string[] = [];
  const fetch: NonNullable<typeof service.fetch> = async (address, init) => {
    const { pathname } = new URL(address);
    if (!/^\/api\/(keys|sandbox)/.test(pathname)) return service.fetch!(address, init);
    const headers = init.headers as Record<string, string>;
    requests.push(`${init.method} ${pathname} ${init.body ?? ""}${headers["x-signature"] ? "" : " unsigned"}`.trim());
    const data = pathname.endsWith("generate") ? generateKeyContract.exampleAnswer : listKeysContract.exampleAnswer;
    return Response.json({ ok: true, data: pathname.includes("sandbox") ? { sol: 2, txSignature: "sig" } : data });
  };
  return { requests, run: (...argv: string[]) => run(argv, { fetch }) };
}

test("every action of keys carries a wallet signature", async () => {
  const { run, requests } = createKeyService();
  const [key] = listKeysContract.exampleAnswer.keys;
  const line = `${key!.id}  expires ${key!.expiresAt}  last used never  agent`;
  expect(await run("keys")).toEqual({ exitCode: 0, outputLines: [line], errorLines: [] });
  expect((await run("keys", "create", "agent", "--expires-in-days", "30")).outputLines).toEqual([
    generateKeyContract.exampleAnswer.apiKey,
  ]);
  expect((await run("keys", "revoke", "a/b")).outputLines).toEqual(["Revoked a/b."]);
  expect(requests).toEqual([
    "GET /api/keys",
    'POST /api/keys/generate {"name":"agent","expiresInDays":30}',
    "DELETE /api/keys/a%2Fb",
  ]);
});
