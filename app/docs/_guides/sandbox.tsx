import { ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section } from "@/app/docs/_components/prose";

const START_COMMANDS = `npm ci && npm start     # serves localhost:3000
npm run tour            # in a second terminal: a whole life of a round-up`;

const AIRDROP_COMMAND = `curl -s localhost:3000/api/sandbox/airdrop \\
  -H "content-type: application/json" -d '{"address":"<your wallet>","sol":1}'`;

const CHAIN_COMMANDS = `solana --url http://localhost:8899 balance <your wallet>     # JSON-RPC
node dist/sdk/cli.js watch --dry-run --ws ws://localhost:8900   # websocket`;

export default function SandboxGuide() {
  return (
    <>
      <P>
        Without settings the service starts a local chain: the real Solana runtime, with play money and a market. The
        API is the same. `GET /api/plans` returns `network`, which is `sandbox` or `mainnet-beta`.
      </P>
      <Section id="start" title="Start it">
        <ShellCode>{START_COMMANDS}</ShellCode>
        <P>
          You need Node 20.19 or later, on Linux or macOS. The folder .data/sandbox holds the state. Delete it to start
          with a new chain.
        </P>
      </Section>
      <Section id="money" title="Get play money">
        <ShellCode>{AIRDROP_COMMAND}</ShellCode>
        <P>
          A call gives at most 10 SOL. `history` adds a month of payments to shops. `POST /api/sandbox/spend` builds up
          to 7 more payments to sign, so that there is change to save. The{" "}
          <DocsLink href="/dashboard">dashboard</DocsLink> has a demo wallet with a button for this. The browser stores
          its key, so keep no real money in it.
        </P>
      </Section>
      <Section id="chain" title="JSON-RPC and websocket">
        <P>Wallets, explorers and your own programs can connect to the chain, as to any Solana node.</P>
        <ShellCode>{CHAIN_COMMANDS}</ShellCode>
        <P>
          If either port is taken, the sandbox chooses two other ports. The log of `npm start` names both addresses, as
          `sandboxRpc` and `sandboxWebsocket`. The websocket’s port is always one higher than that of JSON-RPC, as
          web3.js expects. The chain has mainnet’s slots of 200 ms and mainnet’s rent.
        </P>
        <P>
          web3.js, Anza’s kit, gill, Solana Pay, umi and Anchor send and confirm transactions on it as on mainnet.
          `SANDBOX_FEES=resource-2` charges by the fee model that Solana has accepted (SIMD-0553).
        </P>
      </Section>
      <Section id="differences" title="What is different">
        <BulletList>
          <Li>
            Prices are invented. They change over time and have years of history. `SANDBOX_PRICES=fixed` keeps them
            constant.
          </Li>
          <Li>
            A local market fills swaps. The tokens have their mainnet addresses, but the sandbox creates them, and they
            are worth nothing.
          </Li>
          <Li>
            On mainnet there is no play money. `POST /api/sandbox/airdrop` and `POST /api/sandbox/spend` answer 404.
          </Li>
        </BulletList>
      </Section>
    </>
  );
}
