import { Notice } from "@/app/_components/card";
import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { Code, Li, P, Section, Steps } from "@/app/docs/_components/prose";
import { readWorkedFunction } from "@/app/docs/_content/samples";
import publishedVectors from "@/app/docs/_content/service-wallet-vectors.json";
import { SERVICE_WALLET_KDF } from "@/lib/domain/service-wallet";

const FORMULA = `signature      = Ed25519 signature of the owner over the text
seed           = ${SERVICE_WALLET_KDF.name}(
                   ikm    = ${SERVICE_WALLET_KDF.ikm.replace(" over `message`", "")}
                   salt   = "${SERVICE_WALLET_KDF.salt}"
                   info   = "${SERVICE_WALLET_KDF.info}"
                   length = ${SERVICE_WALLET_KDF.length} bytes )
service wallet = Ed25519 key pair of seed`;

const RECOVER_COMMAND =
  "node dist/sdk/cli.js recover --origin https://roundup.example --rpc https://your.node --keypair id.json --dry-run";

export default function ServiceWalletGuide() {
  return (
    <>
      <P>
        Savings collect in a second wallet, the service wallet, which the dashboard calls your savings wallet. Its key
        comes from a signature of your own wallet: the same wallet always derives the same key. Back up your own wallet.
        If you lose its key, nobody can open the service wallet. The browser or your program derives the key and signs
        with it. The service learns only its address.
      </P>
      <Section id="derive" title="Derive it yourself">
        <Code label="The text to sign, in a sandbox" isWrapped>
          {publishedVectors.message}
        </Code>
        <Code label="Derivation">{FORMULA}</Code>
        <Steps>
          <Li>
            Sign `message` of `GET /api/wallet/derive` twice. If the signatures differ, do not use this wallet: it could
            not derive the same key again.
          </Li>
          <Li>Derive the key pair. Do not send the signature to anyone.</Li>
          <Li>
            Put both addresses into `link`, in place of {"`{owner}`"} and {"`{publicKey}`"}, and sign that with the
            service wallet.
          </Li>
          <Li>
            Send `publicKey` and that signature as `proof` to `POST /api/wallet/derive`, signed in as the owner. A
            server with a static key names the owner as `wallet` instead. The service remembers the address as a service
            wallet.
          </Li>
        </Steps>
        <HighlightedCode label="JavaScript, from SKILL.md">{readWorkedFunction("deriveServiceWallet")}</HighlightedCode>
        <P>
          `index` is 0 unless you want several wallets, up to 255. Never use a plain hash of the signature, and never
          sign this text for a page you do not trust.
        </P>
        <Notice tone="warn" title="This signature is a key">
          <P>
            Anyone who has it can spend from the service wallet. Keep it out of headers, logs and files. The sign-in
            signature does not derive anything, since it travels in headers.
          </P>
        </Notice>
      </Section>
      <Section id="over-http" title="With nothing but HTTP">
        <P>
          A client that cannot derive sends `signature`, the one over `message`, to `POST /api/wallet/derive`. Send it
          over TLS, and nowhere else. The service checks it, derives the key, returns the public key and keeps nothing
          else. It sees your key for that moment, so prefer to derive the key yourself. You need the key anyway to sign
          swaps and withdrawals.
        </P>
      </Section>
      <LeaveSection />
      <Section id="vectors" title="Test vectors">
        <P>{publishedVectors.note}</P>
        {publishedVectors.vectors.map((vector) => (
          <div key={vector.owner} className="rounded-xl border border-line bg-card p-4">
            <h3 className="font-semibold">Index {vector.index}</h3>
            <dl className="mt-2 space-y-2 text-sm">
              <Value name="Owner's seed, hex">{vector.ownerSeedHex}</Value>
              <Value name="Owner">{vector.owner}</Value>
              <Value name="Signature over the text, base64">{vector.signatureBase64}</Value>
              <Value name="Service wallet's seed, hex">{vector.serviceSeedHex}</Value>
              <Value name="Service wallet">{vector.servicePublicKey}</Value>
            </dl>
          </div>
        ))}
      </Section>
    </>
  );
}

function LeaveSection() {
  return (
    <Section id="leave" title="Leave without us">
      <P>
        You can derive the key and withdraw everything without this service. The command `recover` uses only a Solana
        node of your choice. It derives the service wallet, shows its contents, and sends tokens and SOL to your own
        wallet.
      </P>
      <ShellCode>{RECOVER_COMMAND}</ShellCode>
      <P>
        `--origin` is the origin that the signed text names, or `sandbox`. Store it with your wallet. Without
        `--dry-run` the command sends. For a wallet without a key file, `--owner` prints the text to sign, and
        `--signature` reads the signature from a file. `--asset USDC` sends one asset. If the network refuses to send
        everything at once, the command sends each asset in its own transaction, and lists what stays and why.
        `--partial` does so from the start.
      </P>
    </Section>
  );
}

function Value({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt className="text-soft">{name}</dt>
      <dd className="font-mono break-all">{children}</dd>
    </div>
  );
}
