const DOMAIN = "tests/unit/domain";
const SERVICES = "tests/unit/services";
const SDK = "tests/unit/sdk";
const EXECUTE = [`${SERVICES}/execute-transaction.test.ts`, `${SERVICES}/execute-transaction-fee.test.ts`];
const SAVING = `${SERVICES}/steps/saving`;
const CLAIMS = [`${SAVING}/claims.test.ts`, `${SAVING}/claims-release.test.ts`];
const KEYS = [`${SERVICES}/records/key-places.test.ts`, `${SERVICES}/generate-key.test.ts`];

/** Files whose bugs could cost money, with the tests that must notice each mutant of a file. */
export const TARGETS: Record<string, string[]> = {
  "lib/domain/expiry.ts": [`${DOMAIN}/expiry.test.ts`],
  "lib/domain/money.ts": [
    `${DOMAIN}/money.test.ts`,
    `${DOMAIN}/shown-sum.test.ts`,
    `${DOMAIN}/goal.test.ts`,
    "tests/unit/app/money.test.ts",
  ],
  "lib/domain/round-up.ts": [`${DOMAIN}/round-up.test.ts`, `${SERVICES}/calculate-round-up.test.ts`],
  "lib/domain/fee-policy.ts": [`${DOMAIN}/fee-policy.test.ts`],
  "lib/domain/withdraw/withdrawal.ts": [`${DOMAIN}/withdraw/withdrawal.test.ts`],
  "lib/domain/withdraw/withdraw-choice.ts": [`${DOMAIN}/withdraw/withdraw-choice.test.ts`],
  "lib/domain/withdraw/withdraw-plan.ts": [
    `${DOMAIN}/withdraw/withdraw-plan.test.ts`,
    `${SERVICES}/build-withdraw.test.ts`,
  ],
  "lib/services/records/key-places.ts": KEYS,
  "lib/services/steps/saving/claims.ts": [
    ...CLAIMS,
    `${SAVING}/next-saving.test.ts`,
    `${SERVICES}/execute-transaction-calls.test.ts`,
    ...EXECUTE,
    `${SERVICES}/marks-on-chain.test.ts`,
  ],
  "lib/services/steps/saving/next-saving.ts": [`${SAVING}/next-saving.test.ts`, `${SAVING}/claims.test.ts`],
  "lib/services/steps/saving/payment-slot.ts": [`${SAVING}/payment-slot.test.ts`],
  "lib/services/steps/saving/mark-search.ts": [`${SAVING}/mark-search.test.ts`],
  "lib/services/steps/relay/posting.ts": [`${SERVICES}/steps/relay/posting.test.ts`, ...EXECUTE, ...CLAIMS],
  "lib/services/steps/relay/relay.ts": [
    `${SERVICES}/steps/relay/relay.test.ts`,
    `${SERVICES}/execute-transaction.test.ts`,
    ...CLAIMS,
  ],
  "lib/services/records/message-records.ts": [`${SERVICES}/records/message-records.test.ts`],
  "lib/services/execute-transaction.ts": [...EXECUTE, `${SERVICES}/steps/relay/relay.test.ts`, ...CLAIMS],
  "lib/sdk/verify/wrap.ts": [`${SDK}/verify/wrap.test.ts`, `${SERVICES}/build-topup.test.ts`],
  "lib/sdk/verify/swap.ts": [`${SERVICES}/steps/swap/swap-guard.test.ts`, `${SDK}/red-team.test.ts`],
  "lib/sdk/verify/sale.ts": [`${SERVICES}/build-sale.test.ts`, `${SDK}/red-team.test.ts`],
  "lib/sdk/verify/withdrawal.ts": [`${SDK}/verify/withdrawal.test.ts`],
  "lib/sdk/verify/signed.ts": [`${SDK}/verify/signed.test.ts`],
  "lib/sdk/verify/swap-fairness.ts": [`${SDK}/verify/swap-fairness.test.ts`, `${SDK}/red-team.test.ts`],
};
