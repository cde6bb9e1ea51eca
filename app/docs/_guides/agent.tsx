import { ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, DocsLink, Li, P, Section } from "@/app/docs/_components/prose";
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

export default function AgentGuide() {
  return (
    <>
      <P>
        The command `roundup` of the SDK does what the dashboard does, with a Solana CLI key file. A payment command
        shows what leaves the wallet, what arrives and the fees. It checks these figures against the bytes, and asks
        before it signs. With `--yes` it does not ask. With `--json` it prints one JSON document.
      </P>
      <Section id="commands" title="Run a command">
        <ShellCode>{COMMAND_EXAMPLES}</ShellCode>
        <P>
          The command stores unfinished payments below `XDG_STATE_HOME`. Run the same command again to learn their
          outcome. It builds nothing new until the outcome is known. `--help` lists the exit codes.
        </P>
      </Section>
      <Section id="watch" title="Run it unattended">
        <ShellCode>{WATCH_EXAMPLE}</ShellCode>
        <BulletList>
          <Li>
            It reads your wallet’s payments from the chain. It saves the change when it reaches `--every-usd` dollars,
            or after a day.
          </Li>
          <Li>
            With `--ws` and the address of a node’s websocket, it reacts to a payment at once. In the{" "}
            <DocsLink href="/docs/sandbox#chain">sandbox</DocsLink> the address is `ws://localhost:8900`. Node 20 has no
            WebSocket, so there it polls once a minute.
          </Li>
          <Li>
            It invests when the savings reach `--threshold-usd`, and tops up `--weekly-usd` dollars once a week (UTC).
          </Li>
          <Li>
            It saves at most `--max-per-day-usd` in any 24 hours. Savings by other programs count too: the command finds
            them on the chain and among pending transactions. It leaves `--keep-sol` SOL in your wallet.
          </Li>
          <Li>
            A memo on the chain marks the last saved payment. A restart, a second machine or the dashboard therefore
            saves nothing twice. The command retries temporary failures. It stops if the service builds a different
            transaction than it requested.
          </Li>
          <Li>`--dry-run` prints what it would do and signs nothing. An idle `watch` makes one call a minute.</Li>
        </BulletList>
        <P>The key file must be on that machine. Use a wallet that holds no more than you can afford to lose.</P>
      </Section>
      <EventsSection />
    </>
  );
}

function EventsSection() {
  return (
    <Section id="events" title="Receive events as webhooks">
      <P>
        Every transaction that the service sends ends in one event of{" "}
        <DocsLink href="/docs#get-events">GET /api/events</DocsLink>. The command posts each event to your program, in
        order and at least once. Your program can listen on your own machine: the service never calls you.
      </P>
      <ShellCode>{LISTEN_EXAMPLE}</ShellCode>
      <BulletList>
        <Li>
          Requests follow the Standard Webhooks specification. Verify them with the secret that the first run prints;
          `--new-secret` replaces it.
        </Li>
        <Li>
          An answer other than 2xx means “not accepted”. The command posts the event again later, with the same
          `webhook-id`.
        </Li>
        <Li>
          With an API key in `ROUNDUP_API_KEY`, the command reads the events of that key, not those of your key file.
        </Li>
      </BulletList>
    </Section>
  );
}
