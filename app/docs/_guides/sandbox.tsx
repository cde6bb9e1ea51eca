import Link from "next/link";
import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Points, Section } from "@/app/docs/_components/prose";

const START = `npm ci && npm start     # serves localhost:3000
npm run tour            # in a second terminal: a whole life of a round-up`;

const AIRDROP = `curl -s localhost:3000/api/sandbox/airdrop \\
  -H "content-type: application/json" -d '{"address":"<your wallet>","sol":1}'`;

const CHAIN = `solana --url http://localhost:8899 balance <your wallet>     # JSON-RPC
node dist/sdk/cli.js watch --dry-run --ws ws://localhost:8900   # websocket`;

export function Sandbox() {
  return (
    <>
      <p>
        Without any setting the service runs on a chain of its own: the real Solana runtime, with play money and a
        market. The API is the same. <C>GET /api/plans</C> says in <C>network</C> where you are.
      </p>
      <Section id="start" title="Start it">
        <Highlighted label="Shell" wrap>
          {START}
        </Highlighted>
        <p>Node 20.19 or later, on Linux or macOS. Its state is kept in the folder .data; delete it for a new world.</p>
      </Section>
      <Section id="money" title="Get play money">
        <Highlighted label="Shell" wrap>
          {AIRDROP}
        </Highlighted>
        <p>
          At most 10 SOL a call. With <C>history</C> the wallet has also paid shops for a month, and{" "}
          <C>POST /api/sandbox/spend</C> builds up to 7 more payments to sign, so that there is something to save. The{" "}
          <Link href="/dashboard" prefetch={false} className="text-accent underline underline-offset-4">
            dashboard
          </Link>{" "}
          has a demo wallet that does it with a button; its key lies in this browser, so keep nothing real in it.
        </p>
      </Section>
      <Section id="chain" title="JSON-RPC and websocket">
        <p>Wallets, explorers and your own programs can connect to the chain, as to any Solana node.</p>
        <Highlighted label="Shell" wrap>
          {CHAIN}
        </Highlighted>
        <p>
          If either port is taken, the sandbox chooses two other ports. The log of <C>npm start</C> names both
          addresses, as <C>sandboxRpc</C> and <C>sandboxWebsocket</C>. The websocket’s port is always one higher than
          that of JSON-RPC, as web3.js expects.
        </p>
      </Section>
      <Section id="differences" title="What is different">
        <Points>
          <li>
            Prices are made up: they walk, with years of history behind them, and stand still where the service is
            started with <C>SANDBOX_PRICES=fixed</C>.
          </li>
          <li>
            Swaps are filled by a local market. The tokens have the addresses they have on mainnet, but they are made
            here and worth nothing.
          </li>
          <li>
            On mainnet there is no play money: <C>POST /api/sandbox/airdrop</C> and <C>POST /api/sandbox/spend</C> are
            404s.
          </li>
        </Points>
      </Section>
    </>
  );
}
