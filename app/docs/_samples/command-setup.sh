# makes dist/sdk, with the command roundup
npm run build:sdk
# a wallet for it: in the sandbox a throwaway one with play money, else solana-keygen new -o agent.json
eval "$(npm run -s wallet)" && echo "$KEYPAIR" > agent.json
