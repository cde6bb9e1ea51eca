#!/usr/bin/env bash
# @modelcontextprotocol/server and client 2.4.0 with zod 4.6.7, on Node 20.
# Guess: the server checks a tool's result against its output schema. A result that passes there passes in the client,
# which checks the same schema. So `z.number().multipleOf(0.01)` is a fit type for dollars.
# Seen: zod tests multiples with a tolerance. The client tests the JSON schema with Ajv, which divides and wants an
# integer, and 19.99 / 0.01 is 1998.9999999999998. So the tool pays, the server answers without an error, and `callTool`
# throws. Only a client that has listed the tools checks: the same call works before `listTools` and throws after it.
# (Ajv's issue 2329 has the arithmetic alone.)
# Meaning: an agent takes a payment for a failure, and may pay again. State money as integers of the smallest unit or as
# decimal strings. After an error of `callTool`, an agent must ask what happened before it repeats the call.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/client@2.4.0 zod@4.6.7 >/dev/null
cat >run.mjs <<'PROGRAM'
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const Dollars = z.object({ usd: z.number().multipleOf(0.01) });
let payments = 0;
const server = new McpServer({ name: "shop", version: "1.0.0" });
server.registerTool("pay", { inputSchema: Dollars, outputSchema: Dollars }, async ({ usd }) => {
  payments += 1;
  return { content: [{ type: "text", text: `Paid ${usd} USD.` }], structuredContent: { usd } };
});
const client = new Client({ name: "agent", version: "1.0.0" });
const [serverEnd, clientEnd] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverEnd), client.connect(clientEnd)]);
const pay = (usd) =>
  client.callTool({ name: "pay", arguments: { usd } }).then(
    ({ isError, content }) => (isError ? "refused: " : "answered: ") + content[0].text,
    ({ message }) => `threw: ${message}`,
  );

const before = await pay(19.99);
await client.listTools();
const after = await pay(19.99);
console.log(`Before listTools: ${before}\nAfter listTools:  ${after}\nPayments made:    ${payments}`);
const amounts = Array.from({ length: 10_000 }, (_, index) => (index + 1) / 100);
const outcomes = await Promise.all(amounts.map(pay));
const thrown = outcomes.filter((outcome) => outcome.startsWith("threw")).length;
const refused = outcomes.filter((outcome) => outcome.startsWith("refused")).length;
console.log(`Of the amounts from 0.01 to 100.00, the server refuses ${refused}, and the client ${thrown} after they were paid.`);
await client.close();
const isAsSeen =
  before === "answered: Paid 19.99 USD." &&
  after === "threw: Structured content does not match the tool's output schema: data/usd must be multiple of 0.01" &&
  payments === 10_002 &&
  refused === 0 &&
  thrown > 1_000;
process.exit(isAsSeen ? 0 : 1);
PROGRAM
node run.mjs
