import { Shell } from "@/app/docs/_components/highlighted";
import { DocsLink, InlineCode, Points, Section } from "@/app/docs/_components/prose";
import { COMMAND_SETUP } from "@/app/docs/_content/samples";

const COMMAND_EXAMPLES = `${COMMAND_SETUP}
export ROUNDUP_URL=http://localhost:3000 ROUNDUP_KEYPAIR=agent.json
node dist/sdk/cli.js status
node dist/sdk/cli.js save 4.02 27.03 --plan forest
node dist/sdk/cli.js invest --allocations BTC:60,ETH:40
node dist/sdk/cli.js sell BTC --into USDC
node dist/sdk/cli.js withdraw
node dist/sdk/cli.js --help`;

const WATCH_EXAMPLE = `node dist/sdk/cli.js watch --yes --every-usd 1 --max-per-day-usd 10 --keep-sol 0.05 \\
  --allocations BTC:60,ETH:40 --threshold-usd 5 --weekly-usd 5`;

const LISTEN_EXAMPLE = `node dist/sdk/cli.js listen --forward-to http://localhost:4000/events`;

export function AgentGuide() {
  return (
    <>
      <p>
        The command <InlineCode>roundup</InlineCode> of the SDK does what the dashboard does, with a Solana CLI key
        file. A payment command shows what leaves the wallet, what arrives and the fees. It checks these figures against
        the bytes, and asks before it signs. With <InlineCode>--yes</InlineCode> it does not ask. With{" "}
        <InlineCode>--json</InlineCode> it prints one JSON document.
      </p>
      <Section id="commands" title="Run a command">
        <Shell>{COMMAND_EXAMPLES}</Shell>
        <p>
          The command stores unfinished payments below <InlineCode>XDG_STATE_HOME</InlineCode>. Run the same command
          again to learn their outcome. It builds nothing new until the outcome is known.{" "}
          <InlineCode>--help</InlineCode> lists the exit codes. <InlineCode>roundup completion</InlineCode> prints a
          completion script for your shell.
        </p>
      </Section>
      <Section id="watch" title="Run it unattended">
        <Shell>{WATCH_EXAMPLE}</Shell>
        <Points>
          <li>
            It reads your wallet’s payments from the chain. It saves the change when it reaches{" "}
            <InlineCode>--every-usd</InlineCode> dollars, or after a day.
          </li>
          <li>
            With <InlineCode>--ws</InlineCode> and the address of a node’s websocket, it reacts to a payment at once. In
            the <DocsLink href="/docs/sandbox#chain">sandbox</DocsLink> the address is{" "}
            <InlineCode>ws://localhost:8900</InlineCode>. Node 20 has no WebSocket, so there it polls once a minute.
          </li>
          <li>
            It invests when the savings reach <InlineCode>--threshold-usd</InlineCode>, and tops up{" "}
            <InlineCode>--weekly-usd</InlineCode> dollars once a week (UTC).
          </li>
          <li>
            It saves at most <InlineCode>--max-per-day-usd</InlineCode> in any 24 hours. Savings by other programs count
            too: the command finds them on the chain and among pending transactions. It leaves{" "}
            <InlineCode>--keep-sol</InlineCode> SOL in your wallet.
          </li>
          <li>
            A memo on the chain marks the last saved payment. A restart, a second machine or the dashboard therefore
            saves nothing twice. The command retries temporary failures. It stops if the service builds a different
            transaction than it requested.
          </li>
          <li>
            <InlineCode>--dry-run</InlineCode> prints what it would do and signs nothing. An idle{" "}
            <InlineCode>watch</InlineCode> makes one call a minute.
          </li>
        </Points>
        <p>The key file must be on that machine. Use a wallet that holds no more than you can afford to lose.</p>
      </Section>
      <EventsSection />
    </>
  );
}

function EventsSection() {
  return (
    <Section id="events" title="Receive events as webhooks">
      <p>
        Every transaction that the service sends ends in one event of{" "}
        <DocsLink href="/docs#get-events">GET /api/events</DocsLink>. The command posts each event to your program, in
        order and at least once. Your program can listen on your own machine: the service never calls you.
      </p>
      <Shell>{LISTEN_EXAMPLE}</Shell>
      <Points>
        <li>
          Requests follow the Standard Webhooks specification. Verify them with the secret that the first run prints;{" "}
          <InlineCode>--new-secret</InlineCode> replaces it.
        </li>
        <li>
          An answer other than 2xx means “not accepted”. The command posts the event again later, with the same{" "}
          <InlineCode>webhook-id</InlineCode>.
        </li>
        <li>
          With an API key in <InlineCode>ROUNDUP_API_KEY</InlineCode>, the command reads the events of that key, not
          those of your key file.
        </li>
      </Points>
    </Section>
  );
}
