import { HighlightedCode, ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, Code, DocsLink, Li, P, Section, Steps } from "@/app/docs/_components/prose";
import { readWorkedFunction, SHELL_SIGN_IN } from "@/app/docs/_content/samples";
import { createAuthText } from "@/lib/domain/signed-texts";

export default function AuthenticationGuide() {
  return (
    <>
      <P>
        Your wallet is your identity. There is no account and no registration. A signature of the wallet proves that you
        own it. Prices, plans, balances and history need no credentials.
      </P>
      <Section id="signature" title="By wallet signature">
        <Steps>
          <Li>
            `GET /api/auth` returns `message`, one fixed line of plain text that names this deployment: its origin, or
            `sandbox, play money`.
          </Li>
          <Li>Sign its UTF-8 bytes with your wallet (Ed25519).</Li>
          <Li>
            Send two headers with each protected request: `x-wallet`, the public key in base58, and `x-signature`, the
            signature in base64.
          </Li>
        </Steps>
        <Code label="The text" isWrapped>
          {createAuthText("<deployment>")}
        </Code>
        <HighlightedCode label="JavaScript, from SKILL.md">{readWorkedFunction("signIn")}</HighlightedCode>
        <ShellCode>{SHELL_SIGN_IN}</ShellCode>
        <P>
          The signature is a credential and stays valid until the text changes. Keep it out of logs and URLs, and send
          it over TLS only. It moves no money: every transfer needs its own signature.
        </P>
      </Section>
      <SignInWithSolana />
      <Section id="keys" title="By API key">
        <P>
          A program that runs for long should not hold a wallet signature. Make a key with{" "}
          <DocsLink href="/docs#generate-key">POST /api/keys/generate</DocsLink> and send it as `x-api-key`.
        </P>
        <BulletList>
          <Li>The key is shown once. The service keeps only a digest of it.</Li>
          <Li>It expires after 90 days by default, and after 365 at most. A wallet has at most 10 live keys.</Li>
          <Li>A key cannot create, list or revoke keys. Only the wallet can.</Li>
          <Li>
            The operator of a deployment can also set static keys. They belong to no wallet, so calls that act for a
            wallet must name it. A static key can have its own rate limit.
          </Li>
        </BulletList>
      </Section>
      <Section id="wrong" title="When credentials are wrong">
        <P>
          Missing credentials get 401 `credentials_missing`, and wrong ones 401 `credentials_invalid`. The text does not
          tell whether a key is unknown, expired, revoked or forged. Send one kind of credentials: every one that you
          send must be valid. Public calls ignore credentials.
        </P>
      </Section>
    </>
  );
}

function SignInWithSolana() {
  return (
    <Section id="sign-in-with-solana" title="By Sign In With Solana">
      <P>
        A wallet with the feature `solana:signIn` connects and signs in with one approval. It shows which page asks.
      </P>
      <Steps>
        <Li>`GET /api/auth/nonce` returns `nonce` and `expiresAt`, 24 hours later. The service stores nothing.</Li>
        <Li>
          Call `signIn` of the wallet with your page’s `domain` and `uri`, `version` 1, the text of `GET /api/auth` as
          `statement`, the `nonce`, and as `chainId` `solana:mainnet`, or `solana:localnet` in a sandbox.
        </Li>
        <Li>
          Send the message that the wallet signed as `x-siws-message`, in base64, beside `x-wallet` and `x-signature`.
        </Li>
      </Steps>
      <P>
        Such a sign-in ends at `expiresAt` at the latest. It creates API keys only within ten minutes of the nonce. On
        mainnet, domain and URI must be this deployment’s origin.
      </P>
    </Section>
  );
}
